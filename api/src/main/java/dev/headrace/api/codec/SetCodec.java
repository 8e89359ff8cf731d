package dev.headrace.api.codec;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Sets: the bytes of lists, but in {@link CanonicalOrder}, so that equal sets have equal bytes.
 * Sets that are read cannot be changed. Elements with equal hash codes that are not {@link
 * Comparable} are read in quadratic time.
 */
final class SetCodec<E> implements Codec<Set<E>> {
  private final Element element;
  private final String format;

  SetCodec(Codec<?> codec) {
    this.element = Element.of(codec, false);
    this.format = "set(" + element.format() + ")";
  }

  @Override
  public String format() {
    return format;
  }

  @Override
  public void encode(Set<E> value, ByteOutput out) {
    CanonicalOrder order = new CanonicalOrder(out, value.size(), format);
    for (E each : value) {
      order.begin();
      element.write(each, out, format);
      order.keyEnds();
    }
    order.sort();
  }

  @Override
  @SuppressWarnings("unchecked") // the element's codec makes E
  public Set<E> decode(ByteInput in) {
    int count = ListCodec.count(element, in);
    Set<E> elements = new LinkedHashSet<>(CanonicalOrder.capacity(count));
    CanonicalOrder.Check check = new CanonicalOrder.Check(in, format);
    for (int i = 0; i < count; i++) {
      check.begin();
      E each = (E) element.read(in);
      check.keyEnds();
      if (!elements.add(each)) {
        throw new IllegalArgumentException("An element of a set is there twice: " + each);
      }
    }
    return Collections.unmodifiableSet(elements);
  }
}
