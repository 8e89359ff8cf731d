package dev.headrace.protostream;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.error.CodecException;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.infinispan.commons.configuration.ClassAllowList;
import org.infinispan.commons.marshall.Marshaller;

/**
 * Whatever one of Infinispan's marshallers makes of a value, for those who have one already. Its
 * bytes are stored and travel as they are, and are decoded only where a value is asked for. As safe
 * for many threads as its marshaller.
 *
 * <p>It needs {@code org.infinispan:infinispan-commons}, which this module does not bring.
 *
 * @param <T> what is stored
 */
public final class MarshallerCodec<T> implements Codec<T> {
  private final Marshaller marshaller;
  private final Class<T> type;

  private MarshallerCodec(Marshaller marshaller, Class<T> type) {
    this.marshaller = marshaller;
    this.type = type;
  }

  /**
   * A codec of a marshaller. The classes named here are added to the marshaller's allow list; one
   * that has such a list, like {@code JavaSerializationMarshaller}, refuses bytes that name any
   * other.
   *
   * <p>If the codec is for keys, the marshaller must make equal bytes of equal keys.
   *
   * @param marshaller used by many threads at the same time
   * @param type what is stored
   * @param parts further classes that occur inside it
   */
  public static <T> MarshallerCodec<T> of(Marshaller marshaller, Class<T> type, Class<?>... parts) {
    List<String> allowed =
        Stream.concat(Stream.of(type), Stream.of(parts)).map(Class::getName).toList();
    marshaller.initialize(new ClassAllowList(allowed, List.of(), type.getClassLoader()));
    return new MarshallerCodec<>(marshaller, type);
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
