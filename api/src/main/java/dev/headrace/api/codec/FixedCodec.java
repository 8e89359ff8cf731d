package dev.headrace.api.codec;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Year;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Values that always have the same number of bytes, such as numbers and dates; big-endian. */
final class FixedCodec<T> implements Codec<T> {
  static final FixedCodec<Integer> INT =
      new FixedCodec<>("int", Integer.BYTES, (v, out) -> out.writeInt(v), ByteInput::readInt);
  static final FixedCodec<Long> LONG =
      new FixedCodec<>("long", Long.BYTES, (v, out) -> out.writeLong(v), ByteInput::readLong);
  static final FixedCodec<Short> SHORT =
      new FixedCodec<>("short", Short.BYTES, (v, out) -> out.writeShort(v), ByteInput::readShort);
  static final FixedCodec<Byte> BYTE =
      new FixedCodec<>("byte", Byte.BYTES, (v, out) -> out.writeByte(v), ByteInput::readByte);
  static final FixedCodec<Double> DOUBLE =
      new FixedCodec<>(
          "double", Double.BYTES, (v, out) -> out.writeDouble(v), ByteInput::readDouble);
  static final FixedCodec<Float> FLOAT =
      new FixedCodec<>("float", Float.BYTES, (v, out) -> out.writeFloat(v), ByteInput::readFloat);
  static final FixedCodec<Boolean> BOOLEAN =
      new FixedCodec<>("boolean", 1, (v, out) -> out.writeByte(v ? 1 : 0), FixedCodec::readBoolean);
  static final FixedCodec<Character> CHAR =
      new FixedCodec<>(
          "char",
          Character.BYTES,
          (v, out) -> out.writeShort(v),
          in -> (char) (in.readShort() & 0xFFFF));
  static final FixedCodec<UUID> UUID =
      new FixedCodec<>(
          "uuid", 16, FixedCodec::writeUuid, in -> new UUID(in.readLong(), in.readLong()));
  static final FixedCodec<Instant> INSTANT =
      new FixedCodec<>("instant", 12, FixedCodec::writeInstant, FixedCodec::readInstant);

  static final FixedCodec<LocalDate> DATE =
      new FixedCodec<>("date", Times.DATE_BYTES, Times::writeDate, Times::readDate);
  static final FixedCodec<LocalTime> TIME =
      new FixedCodec<>("time", Times.TIME_BYTES, Times::writeTime, Times::readTime);
  static final FixedCodec<LocalDateTime> DATE_TIME =
      new FixedCodec<>(
          "datetime",
          Times.DATE_BYTES + Times.TIME_BYTES,
          Times::writeDateTime,
          Times::readDateTime);
  static final FixedCodec<OffsetDateTime> OFFSET_DATE_TIME =
      new FixedCodec<>(
          "offsetdatetime",
          Times.DATE_BYTES + Times.TIME_BYTES + Times.OFFSET_BYTES,
          Times::writeOffsetDateTime,
          Times::readOffsetDateTime);
  static final FixedCodec<Duration> DURATION =
      new FixedCodec<>("duration", 12, Times::writeDuration, Times::readDuration);
  static final FixedCodec<Year> YEAR =
      new FixedCodec<>("year", Integer.BYTES, Times::writeYear, Times::readYear);

  /** Of those whose bytes have the order of the values, the class of the values. */
  private static final Map<FixedCodec<?>, Class<?>> ORDERED =
      Map.of(
          DATE, LocalDate.class,
          TIME, LocalTime.class,
          DATE_TIME, LocalDateTime.class,
          DURATION, Duration.class,
          YEAR, Year.class);

  /** Those that {@link CodecLayout.Scalar} does not name, by their formats. */
  private static final Map<String, FixedCodec<?>> TIMES =
      Stream.of(DATE, TIME, DATE_TIME, OFFSET_DATE_TIME, DURATION, YEAR)
          .collect(Collectors.toMap(FixedCodec::format, Function.identity()));

  private final String format;
  private final int sizeBytes;
  private final BiConsumer<T, ByteOutput> writer;
  private final Function<ByteInput, T> reader;

  private FixedCodec(
      String format,
      int sizeBytes,
      BiConsumer<T, ByteOutput> writer,
      Function<ByteInput, T> reader) {
    this.format = format;
    this.sizeBytes = sizeBytes;
    this.writer = writer;
    this.reader = reader;
  }

  int sizeBytes() {
    return sizeBytes;
  }

  /** What the bytes of a date, a time or a duration look like, or null for another format. */
  static @Nullable CodecLayout layoutOfTime(String format) {
    FixedCodec<?> codec = TIMES.get(format);
    return codec == null ? null : codec.layout();
  }

  /** What its bytes look like. */
  CodecLayout layout() {
    Class<?> ordered = ORDERED.get(this);
    if (ordered != null) {
      return new CodecLayout.Ordered(ordered, this);
    }
    return this == OFFSET_DATE_TIME
        ? new CodecLayout.Opaque(format, sizeBytes)
        : CodecLayout.Scalar.valueOf(format.toUpperCase(Locale.ROOT));
  }

  @Override
  public String format() {
    return format;
  }

  @Override
  public void encode(T value, ByteOutput out) {
    writer.accept(value, out);
  }

  @Override
  public T decode(ByteInput in) {
    in.requireExactly(sizeBytes, format);
    try {
      return reader.apply(in);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("The bytes are no " + format + ": " + e.getMessage(), e);
    }
  }

  static boolean readBoolean(ByteInput in) {
    byte value = in.readByte();
    if (value != 0 && value != 1) {
      throw new IllegalArgumentException("A boolean is 0 or 1, but there is " + value);
    }
    return value == 1;
  }

  private static void writeUuid(UUID value, ByteOutput out) {
    out.writeLong(value.getMostSignificantBits());
    out.writeLong(value.getLeastSignificantBits());
  }

  private static void writeInstant(Instant value, ByteOutput out) {
    out.writeLong(value.getEpochSecond());
    out.writeInt(value.getNano());
  }

  private static Instant readInstant(ByteInput in) {
    long seconds = in.readLong();
    int nanos = in.readInt();
    if (seconds < Instant.MIN.getEpochSecond()
        || seconds > Instant.MAX.getEpochSecond()
        || nanos < 0
        || nanos > 999_999_999) {
      throw new IllegalArgumentException(
          "There is no instant with " + seconds + " s and " + nanos + " ns");
    }
    return Instant.ofEpochSecond(seconds, nanos);
  }
}
