package dev.headrace.api.codec;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Values whose number of bytes differs, and which are no text. */
final class VariableCodec<T> implements Codec<T> {
  static final VariableCodec<BigInteger> BIG_INTEGER =
      new VariableCodec<>("biginteger", BigNumbers::write, BigNumbers::readInteger);
  static final VariableCodec<BigDecimal> BIG_DECIMAL =
      new VariableCodec<>("bigdecimal", BigNumbers::write, BigNumbers::readDecimal);
  static final VariableCodec<ZonedDateTime> ZONED_DATE_TIME =
      new VariableCodec<>("zoneddatetime", VariableCodec::writeZoned, VariableCodec::readZoned);
  static final VariableCodec<Period> PERIOD =
      new VariableCodec<>("period", VariableCodec::writePeriod, VariableCodec::readPeriod);
  static final VariableCodec<URI> URI =
      new VariableCodec<>("uri", (v, out) -> out.writeUtf8(v.toString()), VariableCodec::readUri);

  /** Longer ones are no names of zones; the JDK would search for each. */
  private static final int MAX_ZONE_BYTES = 128;

  private final String format;
  private final BiConsumer<T, ByteOutput> writer;
  private final Function<ByteInput, T> reader;

  private VariableCodec(
      String format, BiConsumer<T, ByteOutput> writer, Function<ByteInput, T> reader) {
    this.format = format;
    this.writer = writer;
    this.reader = reader;
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
    try {
      T value = reader.apply(in);
      in.requireNothing(format);
      return value;
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("The bytes are no " + format + ": " + e.getMessage(), e);
    }
  }

  private static void writeZoned(ZonedDateTime value, ByteOutput out) {
    Times.writeDateTime(value.toLocalDateTime(), out);
    Times.writeOffset(value.getOffset(), out);
    out.writeUtf8(value.getZone().getId());
  }

  /** Keeps the instant, should the zone's rules have changed since it was written. */
  private static ZonedDateTime readZoned(ByteInput in) {
    LocalDateTime local = Times.readDateTime(in);
    ZoneOffset offset = Times.readOffset(in);
    if (in.remaining() > MAX_ZONE_BYTES) {
      throw new IllegalArgumentException(
          "The name of a zone has " + in.remaining() + " bytes, but at most " + MAX_ZONE_BYTES);
    }
    return ZonedDateTime.ofInstant(local, offset, ZoneId.of(in.readUtf8(in.remaining())));
  }

  private static void writePeriod(Period value, ByteOutput out) {
    out.writeVarInt(zigzag(value.getYears()));
    out.writeVarInt(zigzag(value.getMonths()));
    out.writeVarInt(zigzag(value.getDays()));
  }

  private static Period readPeriod(ByteInput in) {
    int years = unzigzag(in.readVarInt());
    int months = unzigzag(in.readVarInt());
    return Period.of(years, months, unzigzag(in.readVarInt()));
  }

  private static URI readUri(ByteInput in) {
    String text = in.readUtf8(in.remaining());
    try {
      return new URI(text);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("The bytes are no uri: " + e.getReason(), e);
    }
  }

  /** Small numbers of both signs as small numbers without one. */
  static int zigzag(int value) {
    return (value << 1) ^ (value >> 31);
  }

  static int unzigzag(int value) {
    return (value >>> 1) ^ -(value & 1);
  }
}
