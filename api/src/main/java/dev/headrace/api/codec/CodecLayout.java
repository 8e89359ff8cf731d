package dev.headrace.api.codec;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the bytes of a codec look like, so that a part of a value can be found in them without
 * decoding the rest. Known of the built-in codecs; immutable.
 */
public sealed interface CodecLayout {

  /**
   * The layout of what a codec encodes; {@link Opaque} unless the codec is built in, or one of a
   * built-in format.
   */
  static CodecLayout of(Codec<?> codec) {
    if (codec instanceof RecordCodec<?> record) {
      return record.layout();
    } else if (codec instanceof EvolvedRecordCodec<?> record) {
      return record.layout();
    } else if (codec instanceof FixedCodec<?> fixed) {
      return fixed.layout();
    } else if (codec instanceof StringCodec) {
      return Scalar.STRING;
    } else if (codec instanceof BytesCodec) {
      return Scalar.BYTES;
    } else if (codec instanceof EnumCodec<?>) {
      return Scalar.ENUM;
    } else if (codec instanceof FormatCodec<?>) {
      return ofFormat(codec.format());
    }
    return new Opaque(codec.format(), 0);
  }

  /** The number of bytes that each value takes; 0 if they differ. */
  int sizeBytes();

  /**
   * The layout of what the built-in codec of a format encodes; {@link Opaque} if there is none. The
   * codecs of its components turn their bytes into byte arrays as they are.
   */
  static CodecLayout ofFormat(String format) {
    CodecLayout known = FormatLayout.of(format);
    return known == null ? new Opaque(format, 0) : known;
  }

  /** One number, text or the like, which takes all of its bytes. */
  enum Scalar implements CodecLayout {
    /** 1 byte. */
    BYTE(Byte.BYTES),
    /** 2 bytes, big-endian. */
    SHORT(Short.BYTES),
    /** 4 bytes, big-endian. */
    INT(Integer.BYTES),
    /** 8 bytes, big-endian. */
    LONG(Long.BYTES),
    /** 2 bytes, unsigned, big-endian. */
    CHAR(Character.BYTES),
    /** 1 byte: 0 or 1. */
    BOOLEAN(1),
    /** 4 bytes, IEEE 754, big-endian. */
    FLOAT(Float.BYTES),
    /** 8 bytes, IEEE 754, big-endian. */
    DOUBLE(Double.BYTES),
    /** 16 bytes, big-endian. */
    UUID(16),
    /** 8 bytes of seconds and 4 of nanoseconds, big-endian. */
    INSTANT(12),
    /** UTF-8. */
    STRING(0),
    /** As they are. */
    BYTES(0),
    /** The name of an enum's constant, in UTF-8. */
    ENUM(0);

    private final int sizeBytes;

    Scalar(int sizeBytes) {
      this.sizeBytes = sizeBytes;
    }

    @Override
    public int sizeBytes() {
      return sizeBytes;
    }

    /** Whether it is a whole number, a floating-point number or a character. */
    public boolean isNumber() {
      return this == FLOAT || this == DOUBLE || isWholeNumber();
    }

    /** Whether it is a whole number; a character is none. */
    public boolean isWholeNumber() {
      return this == BYTE || this == SHORT || this == INT || this == LONG;
    }
  }

  /**
   * A record, or a class of properties: one component after the other.
   *
   * @param name the simple name of its class
   * @param components those that every value has
   * @param added those that the class has got since the cache was first written
   */
  record Composite(String name, List<Component> components, List<Added> added)
      implements CodecLayout {

    /** Copies the lists. */
    public Composite {
      components = List.copyOf(components);
      added = List.copyOf(added);
    }

    @Override
    public int sizeBytes() {
      return 0;
    }

    /** The component of a name. */
    public Optional<Component> component(String wanted) {
      return components.stream().filter(each -> each.name().equals(wanted)).findFirst();
    }

    /** The added component of a name. */
    public Optional<Added> added(String wanted) {
      return added.stream().filter(each -> each.component().name().equals(wanted)).findFirst();
    }
  }

  /**
   * A component of a record. Its bytes follow its length as a variable-size number, unless their
   * number is always the same.
   *
   * @param nullable whether a byte precedes it that says whether it is there (1) or null (0)
   * @param type what it is in Java, a primitive type as such
   * @param codec encodes it
   */
  record Component(String name, boolean nullable, Class<?> type, Codec<?> codec) {

    /** What its bytes look like. */
    public CodecLayout layout() {
      return of(codec);
    }

    /** The number of its bytes if that is always the same, else 0. */
    public int sizeBytes() {
      return layout().sizeBytes();
    }
  }

  /**
   * A component that a record's class has got since the cache was first written. It lies behind all
   * that every value has, among others of this kind: first its head, then a byte that says whether
   * it is there (1) or null (0), then the length of its bytes and these. It is only written if it
   * is not its default.
   *
   * @param component what it is, if it is there
   * @param head its name and its format, each behind its length
   * @param absent the bytes of its default; null if the default is null
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Added(Component component, byte[] head, byte @Nullable [] absent) {

    /** Copies the arrays. */
    public Added {
      head = head.clone();
      absent = absent == null ? null : absent.clone();
    }

    /** Its name and its format, as a copy. */
    @Override
    public byte[] head() {
      return head.clone();
    }

    /** Its default, as a copy. */
    @Override
    public byte @Nullable [] absent() {
      return absent == null ? null : absent.clone();
    }
  }

  /**
   * Values whose bytes, compared as unsigned ones, are in the order of the values. They compare
   * like the bytes of a constant that its codec has encoded.
   *
   * @param type the class of the values
   * @param codec encodes them, always in the same number of bytes
   */
  record Ordered(Class<?> type, Codec<?> codec) implements CodecLayout {

    @Override
    public int sizeBytes() {
      return Element.of(codec, false).sizeBytes();
    }

    /**
     * The bytes of a constant.
     *
     * @throws ClassCastException if it is of another class
     */
    public byte[] encode(Object constant) {
      ByteOutput out = new ByteOutput();
      Element.of(codec, false).codec().encode(type.cast(constant), out);
      return out.toByteArray();
    }
  }

  /**
   * Bytes of which nothing is known, or not enough to compare them.
   *
   * @param format the codec's format
   * @param sizeBytes the number of bytes that each value takes, 0 if they differ or nobody knows
   */
  record Opaque(String format, int sizeBytes) implements CodecLayout {}
}
