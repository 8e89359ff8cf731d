package dev.headrace.api.stream.operator;

import dev.headrace.api.codec.Codec;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * How streams and caches call a function that nodes know by its name: what it is called, and what
 * travels to it and back. Whoever calls it needs no more; the function itself is registered on the
 * nodes that have the entries, see {@link NodeFunctions}. Immutable.
 *
 * @param name 1 to {@link #MAX_BYTES} bytes of UTF-8
 * @param argumentCodec encodes the argument of a call
 * @param resultCodec encodes each result; of a {@code collect} function, its state
 * @param <A> the argument
 * @param <R> the result
 */
public record FunctionName<A, R>(String name, Codec<A> argumentCodec, Codec<R> resultCodec) {

  /** The most bytes of a name. */
  public static final int MAX_BYTES = 255;

  /** Checks the name. */
  public FunctionName {
    Objects.requireNonNull(argumentCodec, "argumentCodec");
    Objects.requireNonNull(resultCodec, "resultCodec");
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (name.isBlank() || bytes > MAX_BYTES) {
      throw new IllegalArgumentException(
          "A function's name has 1 to "
              + MAX_BYTES
              + " bytes and is not blank, but this one has "
              + bytes
              + ": \""
              + name
              + '"');
    }
  }

  /** A name with the codecs of what travels. */
  public static <A, R> FunctionName<A, R> of(
      String name, Codec<A> argumentCodec, Codec<R> resultCodec) {
    return new FunctionName<>(name, argumentCodec, resultCodec);
  }
}
