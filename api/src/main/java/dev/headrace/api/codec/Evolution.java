package dev.headrace.api.codec;

import dev.headrace.api.error.CodecException;

/**
 * Finds for the codec of a type, as the type is now, the codec of the same type for bytes of a
 * format that it, or an earlier or later form of it, had elsewhere.
 */
final class Evolution {
  private Evolution() {}

  /**
   * The codec for bytes of a format; the same one if that is its format.
   *
   * @param where the component that it is of, for messages; empty for a whole value
   * @throws CodecException names the first difference that makes this impossible
   */
  static Codec<?> of(Codec<?> own, StoredFormat stored, String where) {
    if (own.format().equals(stored.text())) {
      return own;
    }
    if (own instanceof RecordCodec<?> record && sameName(own, stored)) {
      return new EvolvedRecordCodec<>(record, stored, where);
    }
    if (own instanceof SealedCodec<?> alternatives && sameName(own, stored)) {
      return alternatives.in(stored, where);
    }
    StoredFormat present = StoredFormat.of(own.format());
    if (present.kind().isEmpty() || !present.kind().equals(stored.kind())) {
      throw difference(where, stored.text(), own.format());
    }
    if (own instanceof ListCodec<?> list) {
      return new ListCodec<>(element(list.element(), stored.only(), where + "[]"));
    } else if (own instanceof ArrayCodec<?> array) {
      return array.of(element(array.element(), stored.only(), where + "[]"));
    } else if (own instanceof OptionalCodec<?> optional) {
      return optional.of(of(optional.value(), stored.only().format(), where));
    } else if (own instanceof MapCodec<?, ?> map) {
      return ofMap(map, stored, where);
    } else if (own instanceof SetCodec<?>) {
      throw fixed(where, "the elements of a set", stored.only(), present.only());
    }
    throw difference(where, stored.text(), own.format());
  }

  private static boolean sameName(Codec<?> own, StoredFormat stored) {
    StoredFormat present = StoredFormat.of(own.format());
    return present.kind().equals(stored.kind()) && present.name().equals(stored.name());
  }

  private static Codec<?> ofMap(MapCodec<?, ?> map, StoredFormat stored, String where) {
    StoredFormat.Part key = stored.parts().get(0);
    if (!key.text().equals(map.key().format())) {
      StoredFormat.Part present = StoredFormat.of(map.format()).parts().get(0);
      throw fixed(where, "the keys of a map", key, present);
    }
    Element value = element(map.value(), stored.parts().get(1), where + "{}");
    return new MapCodec<>(map.key().codec(), value);
  }

  /** An element whose values may have changed; whether they may be null stays as it is. */
  static Element element(Element own, StoredFormat.Part stored, String where) {
    boolean marked = own.format().endsWith("?");
    if (marked != stored.nullable()) {
      throw difference(where, stored.text(), own.format());
    }
    return Element.of(of(own.codec(), stored.format(), where), own.nullable());
  }

  /** Differing formats of a component, or of a whole value. */
  static CodecException difference(String where, String stored, String own) {
    String what = where.isEmpty() ? "the type" : "\"" + where + "\"";
    return new CodecException("%s is \"%s\" there, and \"%s\" here".formatted(what, stored, own));
  }

  private static CodecException fixed(
      String where, String what, StoredFormat.Part stored, StoredFormat.Part own) {
    String of = where.isEmpty() ? "" : " of \"" + where + "\"";
    return new CodecException(
        "%s%s are \"%s\" there, and \"%s\" here, but must not change: their bytes decide which are equal"
            .formatted(what, of, stored.text(), own.text()));
  }
}
