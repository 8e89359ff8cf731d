package dev.headrace.api.codec;

import dev.headrace.api.error.CodecException;
import java.io.IOException;
import org.infinispan.commons.marshall.Marshaller;

/** Whatever an Infinispan {@link Marshaller} makes of a value. */
final class MarshallerCodec<T> implements Codec<T> {
  private final Marshaller marshaller;
  private final Class<T> type;

  MarshallerCodec(Marshaller marshaller, Class<T> type) {
    this.marshaller = marshaller;
    this.type = type;
  }

  @Override
  public String format() {
    return marshaller.mediaType() + " " + type.getName();
  }

  @Override
  public void encode(T value, ByteOutput out) {
    try {
      out.writeBytes(marshaller.objectToByteBuffer(value));
    } catch (IOException e) {
      throw new CodecException("The marshaller could not encode a " + type.getName(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CodecException("Interrupted while the marshaller encoded a " + type.getName(), e);
    }
  }

  @Override
  public T decode(ByteInput in) {
    Object value;
    try {
      value = marshaller.objectFromByteBuffer(in.readBytes(in.remaining()));
    } catch (IOException | ClassNotFoundException e) {
      throw new CodecException("The marshaller could not decode a " + type.getName(), e);
    }
    if (!type.isInstance(value)) {
      throw new CodecException(
          "The marshaller made "
              + (value == null ? "null" : "a " + value.getClass().getName())
              + " where a "
              + type.getName()
              + " was expected");
    }
    return type.cast(value);
  }
}
