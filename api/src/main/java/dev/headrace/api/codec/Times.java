package dev.headrace.api.codec;

import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.ZoneOffset;

/**
 * Dates, times and amounts of time in so many bytes that all of them fit, and such that the order
 * of the bytes, unsigned, is that of the values.
 */
final class Times {
  static final int DATE_BYTES = 5;
  static final int TIME_BYTES = 6;
  static final int OFFSET_BYTES = 3;

  /** Makes days since 1970 positive: the first one of all is 365,243,219,162 days before. */
  private static final long FIRST_DAY = 1L << 39;

  /** Makes the seconds of offsets positive. */
  private static final int MAX_OFFSET_SECONDS = 18 * 3600;

  private Times() {}

  static void writeDate(LocalDate value, ByteOutput out) {
    long day = value.toEpochDay() + FIRST_DAY;
    out.writeByte((int) (day >>> Integer.SIZE));
    out.writeInt((int) day);
  }

  static LocalDate readDate(ByteInput in) {
    long high = in.readByte() & 0xFFL;
    long day = high << Integer.SIZE | (in.readInt() & 0xFFFF_FFFFL);
    return LocalDate.ofEpochDay(day - FIRST_DAY);
  }

  static void writeTime(LocalTime value, ByteOutput out) {
    long nanos = value.toNanoOfDay();
    out.writeShort((int) (nanos >>> Integer.SIZE));
    out.writeInt((int) nanos);
  }

  static LocalTime readTime(ByteInput in) {
    long high = in.readShort() & 0xFFFFL;
    return LocalTime.ofNanoOfDay(high << Integer.SIZE | (in.readInt() & 0xFFFF_FFFFL));
  }

  static void writeDateTime(LocalDateTime value, ByteOutput out) {
    writeDate(value.toLocalDate(), out);
    writeTime(value.toLocalTime(), out);
  }

  static LocalDateTime readDateTime(ByteInput in) {
    LocalDate date = readDate(in);
    return LocalDateTime.of(date, readTime(in));
  }

  static void writeOffset(ZoneOffset value, ByteOutput out) {
    int seconds = value.getTotalSeconds() + MAX_OFFSET_SECONDS;
    out.writeByte(seconds >>> Short.SIZE);
    out.writeShort(seconds);
  }

  static ZoneOffset readOffset(ByteInput in) {
    int high = in.readByte() & 0xFF;
    int seconds = high << Short.SIZE | (in.readShort() & 0xFFFF);
    return ZoneOffset.ofTotalSeconds(seconds - MAX_OFFSET_SECONDS);
  }

  static void writeOffsetDateTime(OffsetDateTime value, ByteOutput out) {
    writeDateTime(value.toLocalDateTime(), out);
    writeOffset(value.getOffset(), out);
  }

  static OffsetDateTime readOffsetDateTime(ByteInput in) {
    LocalDateTime local = readDateTime(in);
    return OffsetDateTime.of(local, readOffset(in));
  }

  static void writeDuration(Duration value, ByteOutput out) {
    out.writeLong(value.getSeconds() ^ Long.MIN_VALUE);
    out.writeInt(value.getNano());
  }

  static Duration readDuration(ByteInput in) {
    long seconds = in.readLong() ^ Long.MIN_VALUE;
    int nanos = in.readInt();
    if (nanos < 0 || nanos > 999_999_999) {
      throw new IllegalArgumentException("A duration has less than a second of " + nanos + " ns");
    }
    return Duration.ofSeconds(seconds, nanos);
  }

  static void writeYear(Year value, ByteOutput out) {
    out.writeInt(value.getValue() ^ Integer.MIN_VALUE);
  }

  static Year readYear(ByteInput in) {
    return Year.of(in.readInt() ^ Integer.MIN_VALUE);
  }
}
