package dev.headrace.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.ingest.batch.NodeTotals;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The figures of sinks in Prometheus's form. */
final class IngestMetersTest {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final List<NodeTotals> totals = new ArrayList<>();
  private boolean closed;

  private final IngestMeters meters =
      new IngestMeters(this::totals, () -> totals().size(), registry);

  private List<NodeTotals> totals() {
    if (closed) {
      throw new NodeClosedException("closed");
    }
    return totals;
  }

  private static NodeTotals sums(String node, int batches) {
    return new NodeTotals(
        node, batches, 7L * batches, 100, 1.5, 2_000_000_000L, batches - 1, 500_000_000L, 3, 4, 5);
  }

  @Test
  void everyNodeHasItsFigures() {
    totals.add(sums("a", 2));
    meters.refresh();
    totals.set(0, sums("a", 3));
    totals.add(sums("b", 9));
    meters.refresh();

    assertThat(registry.scrape())
        .contains("headrace_ingest_sinks 2.0")
        .contains("headrace_ingest_batches_total{to=\"a\"} 3.0")
        .contains("headrace_ingest_batches_total{to=\"b\"} 9.0")
        .contains("headrace_ingest_entries_total{to=\"a\"} 21.0")
        .contains("headrace_ingest_bytes_total{to=\"a\"} 100.0")
        .contains("headrace_ingest_fill_total{to=\"a\"} 1.5")
        .contains("headrace_ingest_retries_total{to=\"a\"} 3.0")
        .contains("headrace_ingest_linger_seconds_count{to=\"a\"} 3")
        .contains("headrace_ingest_linger_seconds_sum{to=\"a\"} 2.0")
        .contains("headrace_ingest_answer_seconds_count{to=\"a\"} 2")
        .contains("headrace_ingest_answer_seconds_sum{to=\"a\"} 0.5")
        .contains("headrace_ingest_waiting_batches{to=\"a\"} 4.0")
        .contains("headrace_ingest_in_flight_bytes{to=\"a\"} 5.0");
  }

  @Test
  void aClosedNodeKeepsItsLastSumsAndHasNoGauges() {
    totals.add(sums("a", 2));
    meters.refresh();
    closed = true;
    meters.refresh();

    assertThat(registry.scrape())
        .contains("headrace_ingest_sinks NaN")
        .contains("headrace_ingest_waiting_batches{to=\"a\"} NaN")
        .contains("headrace_ingest_in_flight_bytes{to=\"a\"} NaN")
        .contains("headrace_ingest_batches_total{to=\"a\"} 2.0");
  }

  @Test
  void aNodeThatHasJoinedAnotherClusterHasSentNothingThere() {
    totals.add(sums("a", 2));
    meters.refresh();
    totals.set(0, sums("b", 9));
    meters.refresh();

    assertThat(registry.scrape())
        .contains("headrace_ingest_waiting_batches{to=\"a\"} 0.0")
        .contains("headrace_ingest_in_flight_bytes{to=\"a\"} 0.0")
        .contains("headrace_ingest_batches_total{to=\"a\"} 0.0")
        .contains("headrace_ingest_waiting_batches{to=\"b\"} 4.0");

    totals.add(sums("a", 3));
    meters.refresh();

    assertThat(registry.scrape()).contains("headrace_ingest_batches_total{to=\"a\"} 3.0");
  }

  @Test
  void nothingIsLeftInTheRegistryOfAnApplication() {
    totals.add(sums("a", 2));
    meters.refresh();
    meters.close();

    assertThat(registry.getMeters()).isEmpty();
  }
}
