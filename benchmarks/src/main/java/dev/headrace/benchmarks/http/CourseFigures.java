package dev.headrace.benchmarks.http;

import java.util.List;

/**
 * What {@code wrk2 -t64 -c64 -d1m} has shown in the key-value course of nodes that proxy over the
 * JDK's HTTP client, on another machine, with all load on one node.
 */
final class CourseFigures {
  private CourseFigures() {}

  /** The requests per second at which it was measured. */
  static int rate(String method) {
    return method.equals("PUT") ? 20_000 : 15_000;
  }

  /** Mean, p50, p99, p99.9, p99.99 and the longest, in milliseconds. */
  static List<String> millis(String method, int nodes) {
    return switch (method + nodes) {
      case "PUT2" -> List.of("0.94", "0.91", "2.03", "5.21", "10.94", "18.60");
      case "PUT5" -> List.of("1.07", "0.92", "2.54", "47.10", "80.50", "106.60");
      case "GET2" -> List.of("0.90", "0.89", "1.64", "3.31", "7.92", "11.80");
      case "GET5" -> List.of("0.89", "0.89", "1.58", "2.95", "4.99", "12.60");
      default -> throw new IllegalArgumentException("nobody measured " + method + " on " + nodes);
    };
  }
}
