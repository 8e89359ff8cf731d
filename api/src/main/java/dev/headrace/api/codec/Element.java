package dev.headrace.api.codec;

import org.jspecify.annotations.Nullable;

/**
 * How a value lies among others: as it is if its codec always writes the same number of bytes, else
 * behind its length. A byte before it says whether it is there (1) or null (0), if it may be null.
 *
 * @param codec of the value; {@link Object} stands for whatever it takes
 */
record Element(Codec<Object> codec, boolean nullable) {

  /** An element of a codec that may be asked for such values only. */
  @SuppressWarnings("unchecked") // whoever uses it hands over what was declared
  static Element of(Codec<?> codec, boolean nullable) {
    return new Element((Codec<Object>) codec, nullable);
  }

  /** The number of bytes of a value that is there, if that is always the same, else 0. */
  int sizeBytes() {
    return codec instanceof FixedCodec<?> fixed ? fixed.sizeBytes() : 0;
  }

  /** The codec's format, with a question mark if the value may be null. */
  String format() {
    return codec.format() + (nullable ? "?" : "");
  }

  /**
   * Appends a value.
   *
   * @param of what it is a part of, for the message
   * @throws IllegalArgumentException if it is null and must not be
   */
  void write(@Nullable Object value, ByteOutput out, String of) {
    if (nullable) {
      out.writeByte(value == null ? 0 : 1);
    } else if (value == null) {
      throw new IllegalArgumentException("There is a null in a value of format \"" + of + "\"");
    }
    if (value == null) {
      return;
    }
    if (codec instanceof FixedCodec) {
      codec.encode(value, out);
    } else {
      out.writeSized(codec, value);
    }
  }

  /** Reads a value. */
  @Nullable Object read(ByteInput in) {
    return nullable && !isPresent(in) ? null : readPresent(in);
  }

  /** Reads a value that is there. */
  Object readPresent(ByteInput in) {
    int sizeBytes = sizeBytes();
    return sizeBytes > 0 ? in.readWithin(codec, sizeBytes) : in.readSized(codec);
  }

  /** Moves on behind a value. */
  void skip(ByteInput in) {
    if (!nullable || isPresent(in)) {
      int sizeBytes = sizeBytes();
      in.skip(sizeBytes > 0 ? sizeBytes : in.readVarInt());
    }
  }

  static boolean isPresent(ByteInput in) {
    byte presence = in.readByte();
    if (presence != 0 && presence != 1) {
      throw new IllegalArgumentException(
          "There should be 0 (null) or 1 before a value, but there is " + presence);
    }
    return presence == 1;
  }
}
