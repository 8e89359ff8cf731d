package dev.headrace.api;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads the texts of settings. All methods throw IllegalArgumentException for any other text. */
final class ConfigurationText {
  private static final Pattern AMOUNT = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([a-zA-Z]*)");
  private static final Map<String, Long> BYTES =
      Map.of(
          "",
          1L,
          "b",
          1L,
          "kb",
          1_000L,
          "mb",
          1_000_000L,
          "gb",
          1_000_000_000L,
          "kib",
          1L << 10,
          "mib",
          1L << 20,
          "gib",
          1L << 30);
  private static final Map<String, Long> NANOS =
      Map.of(
          "ns", 1L,
          "us", 1_000L,
          "ms", 1_000_000L,
          "s", 1_000_000_000L,
          "min", 60_000_000_000L,
          "h", 3_600_000_000_000L,
          "d", 86_400_000_000_000L);

  private ConfigurationText() {}

  /** 1000, 64kB, 512MB, 1.5GiB. */
  static long bytes(String text) {
    return amount(text, BYTES);
  }

  /** As {@link #bytes}, and not more than an int. */
  static int intBytes(String text) {
    return Math.toIntExact(bytes(text));
  }

  /** 0, 100us, 15s, 5min, 2h, or ISO 8601 such as PT15S. */
  static Duration duration(String text) {
    if (text.equals("0")) {
      return Duration.ZERO;
    }
    if (text.startsWith("P") || text.startsWith("p")) {
      try {
        return Duration.parse(text);
      } catch (DateTimeParseException e) {
        throw new IllegalArgumentException(text, e);
      }
    }
    return Duration.ofNanos(amount(text, NANOS));
  }

  private static long amount(String text, Map<String, Long> units) {
    Matcher amount = AMOUNT.matcher(text);
    Long unit = amount.matches() ? units.get(amount.group(2).toLowerCase(Locale.ROOT)) : null;
    if (unit == null) {
      throw new IllegalArgumentException(text);
    }
    return new BigDecimal(amount.group(1)).multiply(BigDecimal.valueOf(unit)).longValueExact();
  }

  /** True or false, and nothing else. */
  static boolean truth(String text) {
    if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
      throw new IllegalArgumentException(text);
    }
    return Boolean.parseBoolean(text);
  }

  /** Deny or allow. */
  static SplitPolicy splitPolicy(String text) {
    return SplitPolicy.valueOf(text.toUpperCase(Locale.ROOT));
  }

  /** Wait; ended; a time; ended and a time. */
  static LostSegments lostSegments(String text) {
    String value = text.toLowerCase(Locale.ROOT).replace(" ", "");
    if (value.equals("wait")) {
      return LostSegments.WAIT;
    }
    if (value.equals("ended")) {
      return LostSegments.recreateWhenEnded();
    }
    return value.startsWith("ended,")
        ? LostSegments.recreateAfter(duration(value.substring("ended,".length()))).orWhenEnded()
        : LostSegments.recreateAfter(duration(value));
  }

  /** Words between commas. */
  static List<String> list(String text) {
    return Stream.of(text.split(",", -1)).map(String::strip).filter(s -> !s.isEmpty()).toList();
  }

  /** Pairs a=b between commas. */
  static Map<String, String> labels(String text) {
    Map<String, String> labels = new HashMap<>();
    for (String pair : list(text)) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException(text);
      }
      labels.put(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip());
    }
    return labels;
  }
}
