package dev.headrace.api.codec;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Values of a sealed interface: which of its classes it is, as a variable-size number in the order
 * of the format, then the value of that class.
 */
final class SealedCodec<T> implements Codec<T> {
  private final String format;
  private final Class<?>[] types;
  private final List<Codec<Object>> codecs;

  /**
   * @param types the classes, of which no value has two
   * @param codecs theirs
   */
  SealedCodec(String name, List<Class<?>> types, List<Codec<Object>> codecs) {
    this.types = types.toArray(Class<?>[]::new);
    this.codecs = List.copyOf(codecs);
    this.format =
        codecs.stream()
            .map(Codec::format)
            .collect(Collectors.joining(", ", "sealed " + name + "(", ")"));
  }

  @Override
  public String format() {
    return format;
  }

  @Override
  public void encode(T value, ByteOutput out) {
    int index = 0;
    while (!types[index].isInstance(value)) {
      index++;
      if (index == types.length) {
        throw new ClassCastException(value.getClass().getName() + " is none of " + format);
      }
    }
    out.writeVarInt(index);
    codecs.get(index).encode(value, out);
  }

  @Override
  @SuppressWarnings("unchecked") // all of these classes are T's
  public T decode(ByteInput in) {
    int index = in.readVarInt();
    if (index < 0 || index >= types.length) {
      throw new IllegalArgumentException(
          "There is no class " + index + " in \"" + format + "\", which has " + types.length);
    }
    return (T) in.readWithin(codecs.get(index), in.remaining());
  }
}
