package dev.headrace.stream.function;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.FaultScope;
import dev.headrace.api.stream.operator.EntryUpdate;
import dev.headrace.api.stream.operator.FunctionName;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a processor has decided about an entry, in bytes.
 *
 * @param action what becomes of the entry
 * @param value its new value; null unless it is set
 * @param lifespan see {@link EntryUpdate#lifespan}
 * @param answer what the caller gets; null for no result, otherwise a byte that is 0 and the
 *     encoded result, or one that is 1 and a {@link FunctionFault}
 */
@SuppressWarnings("ArrayRecordComponent") // It is handed over, never compared.
public record EncodedUpdate(
    EntryUpdate.Action action,
    byte @Nullable [] value,
    @Nullable Duration lifespan,
    byte @Nullable [] answer) {
  private static final int RESULT = 0;
  private static final int FAULT = 1;

  /** With the result that the caller gets. */
  static <V, R> EncodedUpdate of(
      EntryUpdate<V, R> update, Codec<V> valueCodec, Codec<R> resultCodec) {
    V value = update.value();
    R result = update.result();
    byte[] encoded = null;
    if (value != null) {
      ByteOutput out = new ByteOutput();
      valueCodec.encode(value, out);
      encoded = out.toByteArray();
    }
    byte[] answer = null;
    if (result != null) {
      ByteOutput out = new ByteOutput();
      out.writeByte(RESULT);
      resultCodec.encode(result, out);
      answer = out.toByteArray();
    }
    return new EncodedUpdate(update.action(), encoded, update.lifespan(), answer);
  }

  /** The entry stays as it is, and the caller hears why. */
  static EncodedUpdate fault(FunctionFault fault) {
    ByteOutput out = new ByteOutput();
    out.writeByte(FAULT);
    out.writeBytes(fault.encode());
    return new EncodedUpdate(EntryUpdate.Action.KEEP, null, null, out.toByteArray());
  }

  /**
   * The result in an answer.
   *
   * @param cache the cache's name, for messages
   * @throws dev.headrace.api.error.FunctionMissingException if the answer says so
   * @throws dev.headrace.api.error.FunctionFailedException if the answer says so
   * @throws CodecException if the result cannot be decoded
   */
  public static <R> @Nullable R result(
      byte @Nullable [] answer, FunctionName<?, R> function, String cache) {
    if (answer == null) {
      return null;
    }
    ByteInput in = ByteInput.of(answer);
    if (in.readByte() == FAULT) {
      throw FunctionFault.errorOfProcessor(in, cache);
    }
    try {
      return function.resultCodec().decode(in);
    } catch (RuntimeException e) {
      throw new CodecException(
          "The result of the function \"%s\" cannot be decoded as \"%s\"; what it has done has taken effect"
              .formatted(function.name(), function.resultCodec().format()),
          FaultScope.ofCache(cache),
          e);
    }
  }
}
