package dev.headrace.benchmarks.http.client;

import dev.headrace.benchmarks.harness.HarnessMessage;
import java.util.Map;

/**
 * What the client does in one run.
 *
 * @param port of the node that gets all requests
 * @param work which requests
 * @param schedule when they are due
 */
public record LoadPlan(int port, Work work, RequestSchedule schedule) {

  /**
   * Requests for entities.
   *
   * @param put whether they are written, else read
   * @param inTurn whether the keys come in turn, so that every one is written, else at random
   * @param keys how many keys there are
   * @param valueBytes length of each value
   * @param hitPercent of the reads, so many in a hundred ask for a key that is there
   * @param query further parameters, such as {@code &ack=1&from=2}; empty for none
   */
  public record Work(
      boolean put, boolean inTurn, int keys, int valueBytes, int hitPercent, String query) {

    /** The same with keys in turn or at random. */
    public Work inTurn(boolean now) {
      return new Work(put, now, keys, valueBytes, hitPercent, query);
    }

    /** The same with further parameters. */
    public Work withQuery(String more) {
      return new Work(put, inTurn, keys, valueBytes, hitPercent, more);
    }

    /** The method. */
    public String method() {
      return put ? "PUT" : "GET";
    }
  }

  /** The command that asks for this run. */
  public HarnessMessage command() {
    return HarnessMessage.of("load")
        .with("port", port)
        .with("put", work.put())
        .with("inTurn", work.inTurn())
        .with("keys", work.keys())
        .with("valueBytes", work.valueBytes())
        .with("hitPercent", work.hitPercent())
        .with("query", work.query())
        .with("perSecond", schedule.perSecond())
        .with("connections", schedule.connections())
        .with("requests", schedule.requests());
  }

  /** The run that a command asks for. */
  static LoadPlan of(HarnessMessage command) {
    return new LoadPlan(
        command.whole("port"),
        new Work(
            Boolean.parseBoolean(command.text("put")),
            Boolean.parseBoolean(command.text("inTurn")),
            command.whole("keys"),
            command.whole("valueBytes"),
            command.whole("hitPercent"),
            command.text("query")),
        new RequestSchedule(
            command.whole("perSecond"),
            command.whole("connections"),
            Long.parseLong(command.text("requests"))));
  }

  /** What identifies the run in a file of results. */
  public Map<String, String> parameters() {
    return Map.of(
        "method", work.method(),
        "keys", String.valueOf(work.keys()),
        "valueBytes", String.valueOf(work.valueBytes()),
        "hitRatio", work.put() ? "none" : String.valueOf(work.hitPercent() / 100.0),
        "query", work.query(),
        "rate", String.valueOf(schedule.perSecond()),
        "connections", String.valueOf(schedule.connections()));
  }
}
