package dev.headrace.benchmarks.http.client;

import dev.headrace.benchmarks.harness.HarnessMessage;

/**
 * What a run has shown.
 *
 * @param answered requests that were answered
 * @param unanswered requests that were due and not answered when the client gave up, because the
 *     node was too far behind; their time until then is among the latencies
 * @param errors answers that were not the expected ones, and connections that broke
 * @param firstError what the first of them was; empty if there was none
 * @param seconds from when the first request was due to the last answer
 * @param cpuSeconds CPU time of the client meanwhile
 * @param latencies from when each was due; without meaning if all were due at once
 */
public record LoadOutcome(
    long answered,
    long unanswered,
    long errors,
    String firstError,
    double seconds,
    double cpuSeconds,
    LatencyHistogram latencies) {

  /** Answers per second. */
  public double perSecond() {
    return answered / seconds;
  }

  /** Whether all was answered, as expected, and all but one in a hundred within so long. */
  public boolean isWithin(double p99Millis) {
    return unanswered == 0 && errors == 0 && latencies.millis(99) <= p99Millis;
  }

  /** As the reply to a command. */
  HarnessMessage message() {
    return HarnessMessage.of("done")
        .with("answered", answered)
        .with("unanswered", unanswered)
        .with("errors", errors)
        .with("firstError", firstError)
        .with("seconds", seconds)
        .with("cpuSeconds", cpuSeconds)
        .with("latencies", latencies.encoded());
  }

  /** Reads a reply. */
  public static LoadOutcome of(HarnessMessage reply) {
    return new LoadOutcome(
        Long.parseLong(reply.text("answered")),
        Long.parseLong(reply.text("unanswered")),
        Long.parseLong(reply.text("errors")),
        reply.text("firstError"),
        reply.number("seconds"),
        reply.number("cpuSeconds"),
        LatencyHistogram.decoded(reply.text("latencies")));
  }
}
