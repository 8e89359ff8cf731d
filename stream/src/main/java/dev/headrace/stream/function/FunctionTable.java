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

  private BoundCall<?, ?, ?, ?> bind(FunctionCall call, int format) {
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
    return BoundCall.of(function, call, node, maxResultBytes());
  }

  private FunctionFault missing(FunctionCall call, String what) {
    return FunctionFault.missing(call.name(), node, "the node " + node + " " + what);
  }
}
