package dev.headrace.api.codec;

import dev.headrace.api.error.CodecException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Values of a sealed interface: which of its classes it is, as a variable-size number in the order
 * of the format, then the value of that class.
 */
final class SealedCodec<T> implements Codec<T> {
  private final String name;
  private final String format;
  private final Class<?>[] types;
  private final List<Codec<Object>> codecs;

  /**
   * @param types the classes, of which no value has two
   * @param codecs theirs
   */
  SealedCodec(String name, List<Class<?>> types, List<Codec<Object>> codecs) {
    this.name = name;
    this.types = types.toArray(Class<?>[]::new);
    this.codecs = List.copyOf(codecs);
    this.format =
        codecs.stream()
            .map(Codec::format)
            .collect(Collectors.joining(", ", "sealed " + name + "(", ")"));
  }

  /**
   * The same values in bytes of another format of theirs, whose classes are the same, in any order.
   *
   * @param where the component that they are of; empty for a whole value
   */
  SealedCodec<T> in(StoredFormat stored, String where) {
    List<String> own =
        codecs.stream()
            .map(Codec::format)
            .map(StoredFormat::of)
            .map(SealedCodec::className)
            .toList();
    List<String> there =
        stored.parts().stream().map(StoredFormat.Part::format).map(SealedCodec::className).toList();
    if (own.size() != there.size() || !own.containsAll(there)) {
      throw new CodecException(
          "%s permits %s there, and %s here: a cache keeps the classes that it began with"
              .formatted(where.isEmpty() ? name : "\"" + where + "\"", there, own));
    }
    List<Class<?>> ordered = new ArrayList<>();
    List<Codec<Object>> evolved = new ArrayList<>();
    for (StoredFormat.Part part : stored.parts()) {
      String found = className(part.format());
      int index = own.indexOf(found);
      String path = where.isEmpty() ? found : where + "." + found;
      ordered.add(types[index]);
      evolved.add(Element.of(Evolution.of(codecs.get(index), part.format(), path), false).codec());
    }
    return new SealedCodec<>(name, ordered, evolved);
  }

  private static String className(StoredFormat format) {
    return format.name().isEmpty() ? format.text() : format.name();
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
