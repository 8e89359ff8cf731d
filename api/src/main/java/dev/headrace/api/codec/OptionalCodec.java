package dev.headrace.api.codec;

import java.util.Optional;

/** A byte that says whether there is a value (1) or none (0), then the value. */
final class OptionalCodec<T> implements Codec<Optional<T>> {
  private final Codec<T> codec;
  private final String format;

  OptionalCodec(Codec<T> codec) {
    this.codec = codec;
    this.format = "optional(" + codec.format() + ")";
  }

  Codec<T> value() {
    return codec;
  }

  /** The same with other bytes for the value. */
  @SuppressWarnings("unchecked") // a codec of the same values
  OptionalCodec<T> of(Codec<?> other) {
    return new OptionalCodec<>((Codec<T>) other);
  }

  @Override
  public String format() {
    return format;
  }

  @Override
  public void encode(Optional<T> value, ByteOutput out) {
    out.writeByte(value.isPresent() ? 1 : 0);
    if (value.isPresent()) {
      codec.encode(value.get(), out);
    }
  }

  @Override
  public Optional<T> decode(ByteInput in) {
    if (Element.isPresent(in)) {
      return Optional.of(in.readWithin(codec, in.remaining()));
    }
    in.requireNothing(format);
    return Optional.empty();
  }
}
