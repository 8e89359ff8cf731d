package dev.headrace.api.codec;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Maps: key, value, key, value, in the {@link CanonicalOrder} of the keys, so that equal maps have
 * equal bytes. Maps that are read cannot be changed. Keys with equal hash codes that are not {@link
 * Comparable} are read in quadratic time.
 */
final class MapCodec<K, V> implements Codec<Map<K, V>> {
  private final Element key;
  private final Element value;
  private final String format;

  MapCodec(Codec<?> keyCodec, Element value) {
    this.key = Element.of(keyCodec, false);
    this.value = value;
    this.format = "map(" + key.format() + ", " + value.format() + ")";
  }

  Element key() {
    return key;
  }

  Element value() {
    return value;
  }

  @Override
  public String format() {
    return format;
  }

  @Override
  public void encode(Map<K, V> map, ByteOutput out) {
    CanonicalOrder order = new CanonicalOrder(out, map.size(), format);
    for (Map.Entry<K, V> each : map.entrySet()) {
      order.begin();
      key.write(each.getKey(), out, format);
      order.keyEnds();
      value.write(each.getValue(), out, format);
    }
    order.sort();
  }

  @Override
  @SuppressWarnings({"unchecked", "NullAway"}) // the codecs make K and V, null if that is declared
  public Map<K, V> decode(ByteInput in) {
    int count = count(in);
    Map<K, V> entries = new LinkedHashMap<>(CanonicalOrder.capacity(count));
    CanonicalOrder.Check check = new CanonicalOrder.Check(in, format);
    for (int i = 0; i < count; i++) {
      check.begin();
      K entryKey = (K) key.read(in);
      check.keyEnds();
      V entryValue = (V) value.read(in);
      entries.put(entryKey, entryValue);
      if (entries.size() <= i) {
        throw new IllegalArgumentException("A key of a map is there twice: " + entryKey);
      }
    }
    return Collections.unmodifiableMap(entries);
  }

  private int count(ByteInput in) {
    int start = in.position();
    int count = 0;
    while (in.remaining() > 0) {
      key.skip(in);
      value.skip(in);
      count++;
    }
    in.back(start);
    return count;
  }
}
