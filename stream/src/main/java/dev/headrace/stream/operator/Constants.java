package dev.headrace.stream.operator;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.CodecLayout.Scalar;
import dev.headrace.api.stream.EntryVersion;
import dev.headrace.api.stream.operator.Operand;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;

/** Writes the constants with which parts of entries are compared, if their types allow it. */
final class Constants {

  private Constants() {}

  static boolean isUnordered(Scalar type) {
    return type == Scalar.BOOLEAN || type == Scalar.ENUM || type == Scalar.UUID;
  }

  static void write(Operand operand, Path path, Object constant, ByteOutput out) {
    if (path.length()) {
      out.writeLong(wholeNumber(operand, path, constant));
      return;
    }
    switch (path.origin()) {
      case VERSION -> {
        EntryVersion version = cast(EntryVersion.class, operand, path, constant);
        out.writeVarLong(version.term());
        out.writeVarLong(version.counter());
      }
      case LIFESPAN -> out.writeLong(cast(Duration.class, operand, path, constant).toMillis());
      default -> writeScalar(operand, path, constant, out);
    }
  }

  private static void writeScalar(Operand operand, Path path, Object constant, ByteOutput out) {
    switch (path.type()) {
      case BYTE, SHORT, INT, LONG -> out.writeLong(wholeNumber(operand, path, constant));
      case CHAR -> out.writeLong(cast(Character.class, operand, path, constant));
      case BOOLEAN -> out.writeLong(cast(Boolean.class, operand, path, constant) ? 1 : 0);
      case FLOAT, DOUBLE -> out.writeDouble(floating(operand, path, constant));
      case INSTANT -> {
        Instant instant = cast(Instant.class, operand, path, constant);
        out.writeLong(instant.getEpochSecond());
        out.writeInt(instant.getNano());
      }
      case UUID -> {
        UUID uuid = cast(UUID.class, operand, path, constant);
        out.writeVarInt(2 * Long.BYTES);
        out.writeLong(uuid.getMostSignificantBits());
        out.writeLong(uuid.getLeastSignificantBits());
      }
      case STRING -> writeText(cast(String.class, operand, path, constant), out);
      case ENUM ->
          writeText(
              constant instanceof Enum<?> member
                  ? member.name()
                  : cast(String.class, operand, path, constant),
              out);
      case BYTES -> {
        byte[] bytes = cast(byte[].class, operand, path, constant);
        out.writeVarInt(bytes.length);
        out.writeBytes(bytes);
      }
    }
  }

  private static void writeText(String text, ByteOutput out) {
    ByteOutput encoded = new ByteOutput();
    encoded.writeUtf8(text);
    out.writeVarInt(encoded.size());
    out.writeBytes(encoded.array(), 0, encoded.size());
  }

  private static long wholeNumber(Operand operand, Path path, Object constant) {
    if (constant instanceof Long
        || constant instanceof Integer
        || constant instanceof Short
        || constant instanceof Byte) {
      return ((Number) constant).longValue();
    }
    throw mismatch(operand, path, "cannot be compared with", constant);
  }

  private static double floating(Operand operand, Path path, Object constant) {
    if (constant instanceof Number number) {
      double value = number.doubleValue();
      boolean special = Double.isNaN(value) || Double.isInfinite(value);
      boolean binary = constant instanceof Double || constant instanceof Float;
      if (binary || (!special && new BigDecimal(value).compareTo(decimal(number)) == 0)) {
        return value;
      }
    }
    throw mismatch(operand, path, "cannot be compared without loss with", constant);
  }

  private static BigDecimal decimal(Number number) {
    return new BigDecimal(number.toString());
  }

  private static <T> T cast(Class<T> type, Operand operand, Path path, Object constant) {
    if (!type.isInstance(constant)) {
      throw mismatch(operand, path, "cannot be compared with", constant);
    }
    return type.cast(constant);
  }

  static IllegalArgumentException mismatch(
      Operand operand, Path path, String what, Object constant) {
    String type =
        switch (path.origin()) {
          case VERSION -> "version";
          case LIFESPAN -> "duration";
          default -> path.length() ? "number" : path.type().name().toLowerCase(Locale.ROOT);
        };
    return new IllegalArgumentException(
        "\""
            + operand
            + "\" is a "
            + type
            + ", which "
            + what
            + " the "
            + constant.getClass().getSimpleName()
            + " "
            + (constant instanceof byte[] bytes ? bytes.length + " bytes" : constant));
  }
}
