package dev.headrace.cli.progress;

import java.util.Locale;

/** Numbers as people read them. */
public final class Figures {
  private static final String[] BYTE_UNITS = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};

  private Figures() {}

  /** Such as 149,186. */
  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Such as "1 entry" or "2,000 entries". */
  public static String entries(long number) {
    return number == 1 ? "1 entry" : count(number) + " entries";
  }

  /** Such as 14.2 MB; a kB has 1000 bytes. */
  public static String bytes(long number) {
    double scaled = number;
    int unit = 0;
    while (scaled >= 999.95 && unit < BYTE_UNITS.length - 1) {
      scaled /= 1000;
      unit++;
    }
    return unit == 0
        ? number + " B"
        : String.format(Locale.ROOT, "%.1f %s", scaled, BYTE_UNITS[unit]);
  }

  /** Such as 1.4 s or 2 min 5 s. */
  public static String duration(long nanos) {
    double seconds = nanos / 1e9;
    if (seconds < 59.95) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    long whole = Math.round(seconds);
    return whole / 60 + " min " + whole % 60 + " s";
  }

  /** Such as 106,000/s, of which no more than three digits mean anything. */
  public static String rate(long number, long nanos) {
    double perSecond = number * 1e9 / Math.max(1, nanos);
    double step = Math.pow(10, Math.max(0, Math.floor(Math.log10(Math.max(1, perSecond))) - 2));
    return count((long) (Math.round(perSecond / step) * step)) + "/s";
  }

  /** Such as 3.6 s (27,700/s); what took less than a second has no rate worth telling. */
  public static String durationAndRate(long number, long nanos) {
    return duration(nanos) + (nanos < 1_000_000_000L ? "" : " (" + rate(number, nanos) + ")");
  }

  /** A bar of a fixed width of which a part is filled. */
  public static String bar(double filledPart, int width) {
    int filled = (int) Math.round(Math.max(0, Math.min(1, filledPart)) * width);
    return "#".repeat(filled) + ".".repeat(width - filled);
  }
}
