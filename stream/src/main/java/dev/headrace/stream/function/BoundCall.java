package dev.headrace.stream.function;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.stream.operator.EntryFunction;
import dev.headrace.api.stream.operator.NodeFunction;
import dev.headrace.stream.operator.FunctionCall;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call with the function that is called and its decoded argument. For one thread.
 *
 * @param <K> the keys
 * @param <V> the values
 * @param <A> the argument
 * @param <R> the result, or the state
 */
final class BoundCall<K, V, A, R> {
  private final NodeFunction<K, V, A, R> function;
  private final A argument;
  private final String node;
  private final int maxResultBytes;

  /** What was reduced until now; null for nothing. */
  private @Nullable R state;

  private BoundCall(
      NodeFunction<K, V, A, R> function, A argument, String node, int maxResultBytes) {
    this.function = function;
    this.argument = argument;
    this.node = node;
    this.maxResultBytes = maxResultBytes;
  }

  /**
   * Decodes the argument.
   *
   * @throws FunctionFault if it cannot be decoded
   */
  static <K, V, A, R> BoundCall<K, V, A, R> of(
      NodeFunction<K, V, A, R> function, FunctionCall call, String node, int maxResultBytes) {
    A argument;
    try {
      argument = function.name().argumentCodec().decode(ByteInput.of(call.argument()));
    } catch (Throwable e) { // of the user's codec: the stream's owner must hear of it
      throw FunctionFault.failed(
          call.name(), node, "(any)", "its argument: " + FunctionFault.describe(e));
    }
    return new BoundCall<>(function, argument, node, maxResultBytes);
  }

  /** Whether a filter accepts the entry. */
  @SuppressWarnings("unchecked") // A filter has these keys, values and argument.
  boolean accepts(DecodedEntry entry) {
    try {
      Object asked = function;
      return asked instanceof NodeFunction.Filter<?, ?, ?> filter
          && Boolean.TRUE.equals(apply(((NodeFunction.Filter<K, V, A>) filter).function(), entry));
    } catch (Throwable e) { // of the user's function: the stream's owner must hear of it
      throw failed(entry, FunctionFault.describe(e));
    }
  }

  private <T> @Nullable T apply(EntryFunction<K, V, A, T> applied, DecodedEntry entry) {
    K key = entry.key(function.keyCodec());
    V value = entry.value(function.valueCodec());
    return applied.apply(key, value, argument);
  }

  /**
   * What is answered of an entry.
   *
   * @param out empty
   * @return whether there is anything
   */
  boolean results(DecodedEntry entry, ByteOutput out) {
    try {
      if (function instanceof NodeFunction.Mapping<K, V, A, R> mapping) {
        R result = apply(mapping.function(), entry);
        if (result == null) {
          return false;
        }
        function.name().resultCodec().encode(result, out);
      } else if (function instanceof NodeFunction.FlatMapping<K, V, A, R> mapping) {
        Iterable<R> results = apply(mapping.function(), entry);
        if (results == null) {
          return false;
        }
        for (R result : results) {
          out.writeSized(function.name().resultCodec(), result);
          if (out.size() > maxResultBytes) {
            break; // They may have no end.
          }
        }
      }
    } catch (Throwable e) { // of the user's function: the stream's owner must hear of it
      throw failed(entry, FunctionFault.describe(e));
    }
    if (out.size() > maxResultBytes) {
      throw failed(entry, tooLarge("the results of the entry have", out.size()));
    }
    return out.size() > 0 || function instanceof NodeFunction.Mapping;
  }

  private String tooLarge(String what, long bytes) {
    return what
        + " "
        + bytes
        + " bytes or more, but "
        + maxResultBytes
        + " are the limit (maxEntryBytes)";
  }

  /** Adds an entry to the state. A state that is null would drop what was reduced before. */
  void add(DecodedEntry entry) {
    R before = state;
    try {
      if (function instanceof NodeFunction.Reducing<K, V, A, R> reducing) {
        R result = apply(reducing.function(), entry);
        if (result != null) {
          state = before == null ? result : combined(reducing, before, result);
        }
      } else if (function instanceof NodeFunction.Collecting<K, V, A, R> collecting) {
        R to = before == null ? begun(collecting) : before;
        K key = entry.key(function.keyCodec());
        V value = entry.value(function.valueCodec());
        R added = collecting.accumulator().add(to, key, value, argument);
        state = Objects.requireNonNull(added, "the accumulator returned null: return a state");
      }
    } catch (Throwable e) { // of the user's function: the stream's owner must hear of it
      throw failed(entry, FunctionFault.describe(e));
    }
  }

  private R combined(NodeFunction.Reducing<K, V, A, R> reducing, R one, R other) {
    return Objects.requireNonNull(
        reducing.combiner().apply(one, other), "the combiner returned null: return a result");
  }

  private R begun(NodeFunction.Collecting<K, V, A, R> collecting) {
    return Objects.requireNonNull(
        collecting.supplier().get(), "the supplier returned null: return a state");
  }

  /** The encoded state, null if there is none. */
  byte @Nullable [] state() {
    R last = state;
    if (last == null) {
      return null;
    }
    ByteOutput out = new ByteOutput();
    try {
      function.name().resultCodec().encode(last, out);
    } catch (Throwable e) { // of the user's codec: the stream's owner must hear of it
      throw FunctionFault.failed(name(), node, "(any)", "its state: " + FunctionFault.describe(e));
    }
    return out.toByteArray();
  }

  /** The fault of a state that is too large although it is of one entry. */
  FunctionFault tooLargeState(long bytes) {
    String what = tooLarge("the state of one entry has", bytes);
    return FunctionFault.failed(name(), node, "(any)", what);
  }

  private FunctionFault failed(DecodedEntry entry, String what) {
    return FunctionFault.failed(name(), node, entry.keyText(function.keyCodec()), what);
  }

  private String name() {
    return function.name().name();
  }
}
