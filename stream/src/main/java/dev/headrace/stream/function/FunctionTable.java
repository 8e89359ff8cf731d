package dev.headrace.stream.function;

import dev.headrace.api.codec.Codec;
import dev.headrace.api.stream.operator.NodeFunction;
import dev.headrace.api.stream.operator.NodeFunctions;
import dev.headrace.stream.operator.FunctionCall;
import dev.headrace.stream.operator.Operators;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;

/** The functions that a node knows, by their names. Immutable, for any thread. */
public final class FunctionTable {

  /** Of a node that knows none. */
  public static final FunctionTable NONE =
      new FunctionTable("", List.of(), (keys, values) -> 0, () -> 0, () -> 0L);

  private final String node;
  private final Map<String, NodeFunction<?, ?, ?, ?>> functions = new TreeMap<>();
  private final ToIntBiFunction<Codec<?>, Codec<?>> formats;
  private final IntSupplier maxResultBytes;
  private final LongSupplier nanoTime;

  /**
   * @param node the node's name, for messages
   * @param registered all with different names
   * @param formats the hash of the formats of keys and values that requests carry
   * @param maxResultBytes the most bytes of the results of one entry, and of a state
   * @param nanoTime a clock, by which an answer ends
   */
  public FunctionTable(
      String node,
      List<NodeFunctions<?, ?>> registered,
      ToIntBiFunction<Codec<?>, Codec<?>> formats,
      IntSupplier maxResultBytes,
      LongSupplier nanoTime) {
    this.node = node;
    this.formats = formats;
    this.maxResultBytes = maxResultBytes;
    this.nanoTime = nanoTime;
    for (NodeFunctions<?, ?> some : registered) {
      some.functions().forEach(function -> functions.put(function.name().name(), function));
    }
  }

  /** The most bytes of the results of one entry, and of a state. */
  public int maxResultBytes() {
    return maxResultBytes.getAsInt();
  }

  /**
   * Finds what a request calls.
   *
   * @param operators they call functions
   * @param format the hash of the formats of the cache's keys and values; 0 if not known
   * @throws FunctionFault if a function is not here, or cannot be called so
   */
  public EntryCalls bind(Operators operators, int format) {
    return EntryCalls.of(operators, call -> bind(call, format), nanoTime);
  }

  /**
   * Runs a processor on an entry.
   *
   * @param call the bytes of a {@link FunctionCall}
   * @param format the hash of the formats of the cache's keys and values; 0 if not known
   * @param key encoded
   * @param value encoded; null if the key is absent
   * @return what it has decided, or the fault, which leaves the entry as it is
   */
  public EncodedUpdate process(byte[] call, int format, byte[] key, byte @Nullable [] value) {
    try {
      FunctionCall decoded = decoded(call);
      if (find(decoded, format) instanceof NodeFunction.Processing<?, ?, ?, ?> processing) {
        return ProcessorCall.run(
            processing, decoded, new ProcessorCall.Place(node, maxResultBytes()), key, value);
      }
      throw new IllegalStateException("a function of another kind was found");
    } catch (FunctionFault e) {
      return EncodedUpdate.fault(e);
    }
  }

  private FunctionCall decoded(byte[] call) {
    try {
      return FunctionCall.decode(call);
    } catch (IllegalArgumentException e) {
      String what = "the call is malformed: " + e.getMessage();
      throw FunctionFault.failed("(unknown)", node, "(any)", what);
    }
  }

  private BoundCall<?, ?, ?, ?> bind(FunctionCall call, int format) {
    return BoundCall.of(find(call, format), call, node, maxResultBytes());
  }

  /** The function that is called, if it can be called so. */
  private NodeFunction<?, ?, ?, ?> find(FunctionCall call, int format) {
    NodeFunction<?, ?, ?, ?> function = functions.get(call.name());
    if (function == null) {
      throw missing(
          call,
          "does not know the function \""
              + call.name()
              + "\": register it there with NodeSettings.builder().functions(...), and on each"
              + " other node with a capacity. It knows "
              + functions.keySet());
    }
    if (!function.kind().equals(call.kind().method())) {
      throw missing(
          call,
          "knows the function \""
              + call.name()
              + "\" for "
              + function.kind()
              + ", and not for "
              + call.kind().method()
              + ": call it so, or register another one");
    }
    Codec<?> argument = function.name().argumentCodec();
    Codec<?> result = function.name().resultCodec();
    if (FunctionCall.format(argument, result) != call.format()) {
      throw missing(
          call,
          "knows the function \""
              + call.name()
              + "\" from "
              + argument.format()
              + " to "
              + result.format()
              + ": call it with a name that has these codecs");
    }
    int known = formats.applyAsInt(function.keyCodec(), function.valueCodec());
    if (format != 0 && known != 0 && known != format) {
      throw missing(
          call,
          "knows the function \""
              + call.name()
              + "\" for entries of "
              + function.keyCodec().format()
              + " to "
              + function.valueCodec().format()
              + ", but those of the cache are others: register it with the cache's codecs");
    }
    return function;
  }

  private FunctionFault missing(FunctionCall call, String what) {
    return FunctionFault.missing(call.name(), node, "the node " + node + " " + what);
  }
}
