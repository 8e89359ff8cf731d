package dev.headrace.api.codec;

import java.util.HashMap;
import java.util.Map;

/** Enum constants by their names, so that constants may be added and put in another order. */
final class EnumCodec<E extends Enum<E>> implements Codec<E> {
  private final String format;
  private final Map<String, E> constants = new HashMap<>();

  EnumCodec(Class<E> type) {
    format = "enum " + type.getSimpleName();
    for (E constant : type.getEnumConstants()) {
      constants.put(constant.name(), constant);
    }
  }

  @Override
  public String format() {
    return format;
  }

  @Override
  public void encode(E value, ByteOutput out) {
    out.writeUtf8(value.name());
  }

  @Override
  public E decode(ByteInput in) {
    String name = in.readUtf8(in.remaining());
    E constant = constants.get(name);
    if (constant == null) {
      throw new IllegalArgumentException("There is no constant \"" + name + "\" in " + format);
    }
    return constant;
  }
}
