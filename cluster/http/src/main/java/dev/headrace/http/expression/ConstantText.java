package dev.headrace.http.expression;

import dev.headrace.api.codec.CodecLayout;
import dev.headrace.api.codec.CodecLayout.Scalar;
import dev.headrace.api.stream.EntryVersion;
import dev.headrace.api.stream.operator.Operand;
import dev.headrace.http.expression.FilterToken.Kind;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Year;
import java.util.Base64;
import java.util.UUID;

/** Reads a constant as the type of the part that it is compared with. */
final class ConstantText {
  private ConstantText() {}

  /**
   * A constant.
   *
   * @throws FilterSyntaxException if it is none of the part's type
   */
  static Object read(Operand part, EntryFields fields, FilterToken token) {
    boolean constant =
        token.kind() == Kind.NUMBER
            || token.kind() == Kind.TEXT
            || token.isName("true")
            || token.isName("false");
    if (!constant) {
      throw new FilterSyntaxException(
          token.position(),
          "A number, true, false or a text in quotes belongs here, not " + token.shown());
    }
    try {
      return part.length() ? whole(part, token) : ofSource(part, fields, token);
    } catch (NumberFormatException e) {
      throw new FilterSyntaxException(
          token.position(), token.shown() + " is no number that \"" + part + "\" can have");
    } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
      throw e instanceof FilterSyntaxException syntax
          ? syntax
          : new FilterSyntaxException(
              token.position(), "\"" + part + "\" cannot be compared with this: " + e.getMessage());
    }
  }

  private static Object ofSource(Operand part, EntryFields fields, FilterToken token) {
    return switch (part.source()) {
      case VERSION -> EntryVersion.parse(quoted(part, token, "3-1a, as an ETag has it"));
      case LIFESPAN -> {
        Duration lifespan =
            token.kind() == Kind.TEXT
                ? Duration.parse(token.text())
                : Duration.ofSeconds(whole(part, token));
        yield Duration.ofMillis(lifespan.toMillis()); // more than milliseconds can count is refused
      }
      default -> {
        String format = fields.format(part);
        CodecLayout layout = CodecLayout.ofFormat(format);
        if (layout instanceof Scalar scalar) {
          yield scalar(part, scalar, token);
        } else if (layout instanceof CodecLayout.Ordered) {
          yield time(part, format, token);
        }
        throw new FilterSyntaxException(
            token.position(),
            "\"" + part + "\" is a " + format + ", which cannot be compared as a whole");
      }
    };
  }

  private static Object scalar(Operand part, Scalar scalar, FilterToken token) {
    return switch (scalar) {
      case BYTE, SHORT, INT, LONG -> whole(part, token);
      case FLOAT -> Float.valueOf(number(part, token));
      case DOUBLE -> Double.valueOf(number(part, token));
      case BOOLEAN -> {
        if (token.kind() != Kind.NAME) {
          throw mismatch(part, token, "true or false");
        }
        yield Boolean.valueOf(token.text());
      }
      case CHAR -> {
        String text = quoted(part, token, "x");
        if (text.length() != 1) {
          throw mismatch(part, token, "one character in quotes");
        }
        yield text.charAt(0);
      }
      case UUID -> UUID.fromString(quoted(part, token, "8d8b30e3-de52-4f1c-a71c-9905a8043dac"));
      case INSTANT -> Instant.parse(quoted(part, token, "2026-01-31T23:59:59Z"));
      case STRING, ENUM -> quoted(part, token, "EU");
      case BYTES -> Base64.getDecoder().decode(quoted(part, token, "AAEC, which is Base64"));
    };
  }

  /** What has the order of its bytes, as ISO 8601 has it; a year is a number as in JSON. */
  private static Object time(Operand part, String format, FilterToken token) {
    return switch (format) {
      case "date" -> LocalDate.parse(quoted(part, token, "2026-01-31"));
      case "time" -> LocalTime.parse(quoted(part, token, "23:59:59"));
      case "datetime" -> LocalDateTime.parse(quoted(part, token, "2026-01-31T23:59:59"));
      case "duration" -> Duration.parse(quoted(part, token, "PT90S"));
      case "year" -> Year.of(Math.toIntExact(whole(part, token)));
      default -> throw new IllegalArgumentException("no text of a " + format + " is known");
    };
  }

  private static long whole(Operand part, FilterToken token) {
    return Long.parseLong(number(part, token));
  }

  private static String number(Operand part, FilterToken token) {
    if (token.kind() != Kind.NUMBER) {
      throw mismatch(part, token, "a number");
    }
    String last = token.text().substring(token.text().length() - 1);
    if (last.matches("[fFdD]")) { // which Java would take
      throw mismatch(part, token, "a number");
    }
    return token.text();
  }

  private static String quoted(Operand part, FilterToken token, String example) {
    if (token.kind() != Kind.TEXT) {
      throw mismatch(part, token, "a text in quotes such as '" + example.split(",", 2)[0] + "'");
    }
    return token.text();
  }

  private static FilterSyntaxException mismatch(Operand part, FilterToken token, String wanted) {
    return new FilterSyntaxException(
        token.position(), "\"" + part + "\" is compared with " + wanted + ", not " + token.shown());
  }
}
