package dev.headrace.protostream;

import static java.util.Objects.requireNonNull;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.error.CodecException;
import java.io.IOException;
import org.infinispan.protostream.BaseMarshaller;
import org.infinispan.protostream.EnumMarshaller;
import org.infinispan.protostream.ImmutableSerializationContext;
import org.infinispan.protostream.ProtobufUtil;

/**
 * Objects of a class as messages of Protocol Buffers. The bytes are the message's own, which any
 * library for Protocol Buffers reads. Immutable.
 *
 * <p>The format is the full name of the message, such as {@code protobuf shop.Order}: caches that
 * are opened with another message are refused, but not those whose message has got or lost fields,
 * for which Protocol Buffers has rules of its own. A message is never null; one of no bytes has the
 * defaults of all fields.
 *
 * <p>Fields and the entries of maps are written as the class's marshaller has them. A class whose
 * maps or sets have no order is no key, and conditional writes, which compare bytes, may miss it.
 *
 * @param <T> the class
 */
public final class ProtoStreamCodec<T> implements Codec<T> {
  private final ImmutableSerializationContext context;
  private final Class<T> type;
  private final String message;

  private ProtoStreamCodec(ImmutableSerializationContext context, Class<T> type, String message) {
    this.context = context;
    this.type = type;
    this.message = message;
  }

  /**
   * A codec of a class.
   *
   * @param context has the schema and the marshaller of the class and of all its parts, and keeps
   *     them
   * @throws CodecException if the context has no marshaller for the class, or if it is an enum
   */
  public static <T> ProtoStreamCodec<T> of(ImmutableSerializationContext context, Class<T> type) {
    requireNonNull(type, "type");
    if (!context.canMarshall(type)) {
      throw new CodecException(
          "The serialization context has no marshaller for "
              + type.getName()
              + ": register its schema and marshaller first, as its SerializationContextInitializer"
              + " does");
    }
    BaseMarshaller<T> marshaller = context.getMarshaller(type);
    if (marshaller instanceof EnumMarshaller) {
      throw new CodecException(
          type.getName() + " is an enum, which is no message: use Codecs.enumeration");
    }
    return new ProtoStreamCodec<>(context, type, marshaller.getTypeName());
  }

  @Override
  public String format() {
    return "protobuf " + message;
  }

  @Override
  public void encode(T value, ByteOutput out) {
    if (!isOfMessage(value)) {
      throw new ClassCastException(value.getClass().getName() + " is not " + type.getName());
    }
    try {
      out.writeBytes(ProtobufUtil.toByteArray(context, value));
    } catch (IOException e) {
      throw failure("write", e);
    }
  }

  /** Whether a value is written as this message, and not as that of a subclass. */
  private boolean isOfMessage(Object value) {
    return value.getClass() == type
        || (type.isInstance(value)
            && context.canMarshall(value)
            && context.getMarshaller(value).getTypeName().equals(message));
  }

  @Override
  public T decode(ByteInput in) {
    try {
      return ProtobufUtil.fromByteArray(context, in.readBytes(in.remaining()), type);
    } catch (IOException e) {
      throw failure("read", e);
    }
  }

  private CodecException failure(String what, IOException cause) {
    return new CodecException(
        "ProtoStream could not %s a value of format \"%s\": %s"
            .formatted(what, format(), cause.getMessage()),
        cause);
  }
}
