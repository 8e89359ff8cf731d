package dev.headrace.http.text;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.ZonedDateTime;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A format without parts. Byte arrays are written in Base64, dates and times in ISO 8601.
 *
 * @param sizeBytes how many bytes every value has, or 0 if they differ
 * @param bare whether JSON takes this text without quotes
 */
record Scalar<T>(
    Codec<T> codec,
    int sizeBytes,
    Function<T, String> print,
    Function<String, T> parse,
    Predicate<String> bare)
    implements Shape {

  /** Enum constants travel by their names. */
  static final Scalar<String> STRING =
      new Scalar<>(Codecs.string(), 0, text -> text, text -> text, Scalar::never);

  /** The scalars by their formats. */
  static final Map<String, Shape> BY_FORMAT =
      Map.ofEntries(
          Map.entry("string", STRING),
          Map.entry(
              "bytes",
              new Scalar<>(
                  Codecs.bytes(),
                  0,
                  Base64.getEncoder()::encodeToString,
                  Base64.getDecoder()::decode,
                  Scalar::never)),
          Map.entry("int", of(Integer.class, 4, Integer::valueOf, Scalar::always)),
          Map.entry("long", of(Long.class, 8, Long::valueOf, Scalar::always)),
          Map.entry("short", of(Short.class, 2, Short::valueOf, Scalar::always)),
          Map.entry("byte", of(Byte.class, 1, Byte::valueOf, Scalar::always)),
          Map.entry("double", of(Double.class, 8, Double::valueOf, Scalar::finite)),
          Map.entry("float", of(Float.class, 4, Float::valueOf, Scalar::finite)),
          Map.entry("boolean", of(Boolean.class, 1, Scalar::parseBoolean, Scalar::always)),
          Map.entry("char", of(Character.class, 2, Scalar::parseChar, Scalar::never)),
          Map.entry("uuid", of(UUID.class, 16, UUID::fromString, Scalar::never)),
          Map.entry("instant", of(Instant.class, 12, Scalar::parseInstant, Scalar::never)),
          Map.entry("date", time(LocalDate.class, 5, LocalDate::parse)),
          Map.entry("time", time(LocalTime.class, 6, LocalTime::parse)),
          Map.entry("datetime", time(LocalDateTime.class, 11, LocalDateTime::parse)),
          Map.entry("offsetdatetime", time(OffsetDateTime.class, 14, OffsetDateTime::parse)),
          Map.entry("zoneddatetime", time(ZonedDateTime.class, 0, ZonedDateTime::parse)),
          Map.entry("duration", time(Duration.class, 12, Duration::parse)),
          Map.entry("period", time(Period.class, 0, Period::parse)),
          Map.entry("year", of(Year.class, 4, Scalar::parseYear, Scalar::always)),
          Map.entry("uri", of(URI.class, 0, URI::create, Scalar::never)),
          Map.entry(
              "biginteger",
              new Scalar<>(
                  Codecs.of(BigInteger.class),
                  0,
                  Scalar::print,
                  text -> new BigInteger(bounded(text)),
                  Scalar::always)),
          Map.entry(
              "bigdecimal",
              new Scalar<>(
                  Codecs.of(BigDecimal.class),
                  0,
                  Scalar::print,
                  text -> new BigDecimal(bounded(text)),
                  Scalar::always)));

  /** The text of a number of any size: it takes long to read and to write very many digits. */
  static final int MAX_NUMBER_CHARS = 4096;

  private static <T> Scalar<T> of(
      Class<T> type, int sizeBytes, Function<String, T> parse, Predicate<String> bare) {
    return new Scalar<>(Codecs.of(type), sizeBytes, String::valueOf, parse, bare);
  }

  @Override
  public String text(ByteInput in) {
    return print.apply(codec.decode(in));
  }

  @Override
  public void appendJson(ByteInput in, StringBuilder json) {
    String text = text(in);
    if (bare.test(text)) {
      json.append(text);
    } else {
      json.append('"');
      JsonStringEncoder.getInstance().quoteAsString(text, json);
      json.append('"');
    }
  }

  @Override
  public void encode(String text, ByteOutput out) {
    codec.encode(parse.apply(text), out);
  }

  @Override
  public void encodeJson(JsonParser json, ByteOutput out) throws IOException {
    JsonToken token = json.currentToken();
    boolean bareToken =
        token.isNumeric() || token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE;
    if (token != JsonToken.VALUE_STRING && !bareToken) {
      throw new IllegalArgumentException("A " + codec.format() + " is no object, array or null");
    }
    String text = json.getText();
    if (bareToken && !bare.test(text)) {
      throw new IllegalArgumentException(
          "A " + codec.format() + " is a string in JSON: write it in quotes");
    }
    encode(text, out);
  }

  @Override
  public boolean writable() {
    return true;
  }

  private static boolean always(String text) {
    return true;
  }

  private static boolean never(String text) {
    return false;
  }

  /** JSON has no infinities and nothing that is not a number. */
  private static boolean finite(String text) {
    return Character.isDigit(text.charAt(text.length() - 1));
  }

  private static Boolean parseBoolean(String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException("A boolean is true or false, but not \"" + text + "\"");
    }
    return Boolean.valueOf(text);
  }

  private static Character parseChar(String text) {
    if (text.length() != 1) {
      throw new IllegalArgumentException("A char is one character, but not \"" + text + "\"");
    }
    return text.charAt(0);
  }

  private static <T> Scalar<T> time(Class<T> type, int sizeBytes, Function<String, T> parse) {
    Function<String, T> parser =
        text -> {
          try {
            return parse.apply(text);
          } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException(
                "A "
                    + type.getSimpleName()
                    + " is written as in ISO 8601, but not \""
                    + text
                    + "\"",
                e);
          }
        };
    return of(type, sizeBytes, parser, Scalar::never);
  }

  private static Year parseYear(String text) {
    int year = Integer.parseInt(text);
    if (year < Year.MIN_VALUE || year > Year.MAX_VALUE) {
      throw new IllegalArgumentException("There is no year " + text);
    }
    return Year.of(year);
  }

  private static String print(BigInteger value) {
    requireFew(value);
    return bounded(value.toString());
  }

  private static String print(BigDecimal value) {
    requireFew(value.unscaledValue());
    return bounded(value.toString()); // which has an exponent instead of many zeros
  }

  /** A digit takes less than 4 bits, so that no number passes whose text takes long to write. */
  private static void requireFew(BigInteger digits) {
    if (digits.bitLength() > 4 * MAX_NUMBER_CHARS) {
      throw tooLong();
    }
  }

  private static String bounded(String text) {
    if (text.length() > MAX_NUMBER_CHARS) {
      throw tooLong();
    }
    return text;
  }

  private static IllegalArgumentException tooLong() {
    return new IllegalArgumentException(
        "A number takes more than " + MAX_NUMBER_CHARS + " characters as text");
  }

  private static Instant parseInstant(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          "An instant is written like 2026-01-31T23:59:59Z, but not \"" + text + "\"", e);
    }
  }
}
