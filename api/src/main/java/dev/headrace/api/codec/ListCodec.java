package dev.headrace.api.codec;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lists, element after element; lists that are read cannot be changed. No number of elements is
 * written: they end with the bytes, so that none can be forged.
 */
final class ListCodec<E> implements Codec<List<E>> {
  private final Element element;
  private final String format;

  ListCodec(Element element) {
    this.element = element;
    this.format = "list(" + element.format() + ")";
  }

  Element element() {
    return element;
  }

  @Override
  public String format() {
    return format;
  }

  @Override
  public void encode(List<E> value, ByteOutput out) {
    for (Object each : value) {
      element.write(each, out, format);
    }
  }

  @Override
  @SuppressWarnings("unchecked") // the element's codec makes E
  public List<E> decode(ByteInput in) {
    @Nullable Object[] elements = new @Nullable Object[count(element, in)];
    for (int i = 0; i < elements.length; i++) {
      elements[i] = element.read(in);
    }
    return (List<E>) Collections.unmodifiableList(Arrays.asList(elements));
  }

  /**
   * How many elements the rest of the input consists of. Only moves from length to length, so that
   * what is made for them has the right size at once.
   *
   * @throws IllegalArgumentException if it does not end with an element
   */
  static int count(Element element, ByteInput in) {
    int sizeBytes = element.sizeBytes();
    if (sizeBytes > 0 && !element.nullable()) {
      int rest = in.remaining() % sizeBytes;
      if (rest != 0) {
        throw new IllegalArgumentException(
            "Elements of %d bytes end early: %d bytes are left over".formatted(sizeBytes, rest));
      }
      return in.remaining() / sizeBytes;
    }
    int start = in.position();
    int count = 0;
    while (in.remaining() > 0) {
      element.skip(in);
      count++;
    }
    in.back(start);
    return count;
  }
}
