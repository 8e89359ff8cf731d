package dev.headrace.api.codec;

import java.lang.reflect.Array;

/** Arrays of objects, with the bytes of lists. */
final class ArrayCodec<E> implements Codec<E[]> {
  private final Class<E> type;
  private final Element element;
  private final String format;

  ArrayCodec(Class<E> type, Element element) {
    this.type = type;
    this.element = element;
    this.format = "array(" + element.format() + ")";
  }

  Element element() {
    return element;
  }

  /** Such arrays with other bytes for their elements. */
  ArrayCodec<E> of(Element other) {
    return new ArrayCodec<>(type, other);
  }

  @Override
  public String format() {
    return format;
  }

  @Override
  public void encode(E[] value, ByteOutput out) {
    for (E each : value) {
      element.write(each, out, format);
    }
  }

  @Override
  @SuppressWarnings({"unchecked", "NullAway"}) // an array of E; its places are filled by the codec
  public E[] decode(ByteInput in) {
    E[] elements = (E[]) Array.newInstance(type, ListCodec.count(element, in));
    for (int i = 0; i < elements.length; i++) {
      elements[i] = type.cast(element.read(in));
    }
    return elements;
  }
}
