package dev.headrace.api.codec;

import org.jspecify.annotations.Nullable;

/**
 * How a value lies among others: as it is if its format always has the same number of bytes, else
 * behind its length. A byte before it says whether it is there (1) or null (0), if it may be null.
 *
 * @param codec of the value; {@link Object} stands for whatever it takes
 * @param nullable whether it may be null
 * @param sizeBytes the number of bytes of a value that is there, if that is always the same, else 0
 */
record Element(Codec<Object> codec, boolean nullable, int sizeBytes) {

  /**
   * An element of a codec that may be asked for such values only.
   *
   * @throws IllegalArgumentException if its format is a built-in one of fixed size without its
   *     bytes
   */
  static Element of(Codec<?> codec, boolean nullable) {
    return of(codec, nullable, sizeBytes(codec));
  }

  /** The same for a value that is never null, unless its size differs. */
  static Element ofPrimitive(Codec<?> codec) {
    int sizeBytes = sizeBytes(codec);
    return of(codec, sizeBytes == 0, sizeBytes);
  }

  @SuppressWarnings("unchecked") // whoever uses it hands over what was declared
  private static Element of(Codec<?> codec, boolean nullable, int sizeBytes) {
    return new Element((Codec<Object>) codec, nullable, sizeBytes);
  }

  /** As whoever knows no more than the format takes it to be. */
  private static int sizeBytes(Codec<?> codec) {
    if (codec instanceof FixedCodec<?> fixed) {
      return fixed.sizeBytes();
    }
    if (codec instanceof RecordCodec) {
      return 0; // and its format may not be known yet
    }
    int sizeBytes = CodecLayout.ofFormat(codec.format()).sizeBytes();
    if (sizeBytes > 0 && !(codec instanceof FormatCodec)) {
      throw new IllegalArgumentException(
          ("The format \"%s\" of %s is that of a built-in codec: a codec with other bytes needs"
                  + " another one, and a codec with the same bytes is a FormatCodec")
              .formatted(codec.format(), codec.getClass().getName()));
    }
    return sizeBytes;
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
    if (sizeBytes == 0) {
      out.writeSized(codec, value);
      return;
    }
    int start = out.size();
    codec.encode(value, out);
    if (out.size() - start != sizeBytes) {
      throw new IllegalArgumentException(
          "A value of format \"%s\" has %d bytes, but not %d"
              .formatted(codec.format(), sizeBytes, out.size() - start));
    }
  }

  /** Reads a value. */
  @Nullable Object read(ByteInput in) {
    return nullable && !isPresent(in) ? null : readPresent(in);
  }

  /** Reads a value that is there. */
  Object readPresent(ByteInput in) {
    return sizeBytes > 0 ? in.readWithin(codec, sizeBytes) : in.readSized(codec);
  }

  /** Moves on behind a value. */
  void skip(ByteInput in) {
    if (!nullable || isPresent(in)) {
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
