package dev.headrace.cluster.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.ingest.NodeIngest;
import dev.headrace.api.ingest.SinkSubscriber;
import dev.headrace.cluster.ingest.batch.NodeTotals;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.processors.PublishProcessor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The figures of all sinks of a node are the sums of what they have reported. */
class IngestTotalsTest {
  private final SimulatedSink world = new SimulatedSink(5);

  private static Flowable<Map.Entry<String, String>> entries(String prefix, int count) {
    return Flowable.range(0, count).map(i -> Map.entry(prefix + i, "value-" + i));
  }

  private Map<String, NodeTotals> byNode() {
    Map<String, NodeTotals> byNode = new HashMap<>();
    world.totals.byNode().forEach(each -> byNode.put(each.node(), each));
    return byNode;
  }

  @Test
  void sinksThatHaveEndedAreAddedUp() {
    world.refusedOnceIn = 20;
    List<CompletableFuture<IngestReport>> reports = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      reports.add(world.sink().batchBytes(500).load(entries(i + "-", 1_000)));
      assertThat(world.totals.running()).isEqualTo(i + 1);
    }
    world.run();

    Map<String, NodeTotals> sums = byNode();
    assertThat(world.totals.running()).isZero();
    assertThat(sums).hasSize(world.nodes);
    for (NodeTotals sum : sums.values()) {
      List<NodeIngest> parts =
          reports.stream()
              .flatMap(report -> report.join().total().nodes().stream())
              .filter(each -> each.node().equals(sum.node()))
              .toList();
      assertThat(sum.batches()).isEqualTo(parts.stream().mapToLong(NodeIngest::batches).sum());
      assertThat(sum.entries()).isEqualTo(parts.stream().mapToLong(NodeIngest::entries).sum());
      assertThat(sum.bytes()).isEqualTo(parts.stream().mapToLong(NodeIngest::bytes).sum());
      assertThat(sum.retried()).isEqualTo(parts.stream().mapToLong(NodeIngest::retried).sum());
      assertThat(sum.retried()).isPositive();
      assertThat(sum.answered()).isEqualTo(sum.batches());
      assertThat(sum.waitingBatches()).isZero();
      assertThat(sum.inFlightBytes()).isZero();
      assertThat(sum.means().fill()).isBetween(0.1, 1.0);
    }
  }

  @Test
  void aSinkThatRunsIsCountedWithinATenthOfASecondAlsoIfNothingElseHappens() {
    PublishProcessor<Map.Entry<String, String>> source = PublishProcessor.create();
    SinkSubscriber<Map.Entry<String, String>> sink = world.sink().subscriber();
    source.subscribe(sink);
    source.onNext(Map.entry("a", "b"));
    world.run();

    assertThat(world.nowNanos()).isLessThanOrEqualTo(101 * SimulatedSink.MILLI);
    assertThat(world.totals.running()).isEqualTo(1);
    assertThat(sink.progress().written()).isEqualTo(1);
    assertThat(world.totals.byNode())
        .singleElement()
        .satisfies(sum -> assertThat(sum.entries()).isEqualTo(1));
  }

  @Test
  void aSubscriberWithoutASourceIsNotCounted() {
    SinkSubscriber<Map.Entry<String, String>> sink = world.sink().subscriber();
    sink.cancel();
    world.run();

    assertThat(world.totals.running()).isZero();
    assertThat(world.totals.byNode()).isEmpty();
  }

  @Test
  void soManyNodesAreToldApartAndTheRestIsOne() {
    IngestTotals totals = new IngestTotals();
    List<NodeTotals> many = new ArrayList<>();
    for (int i = 0; i < IngestTotals.MAX_NODES + 10; i++) {
      many.add(new NodeTotals("node-" + i, 1, 2, 3, 0.5, 4, 1, 5, 0, 0, 0));
    }
    totals.begun(() -> many);

    List<NodeTotals> sums = totals.byNode();

    assertThat(sums).hasSize(IngestTotals.MAX_NODES + 1);
    assertThat(sums)
        .filteredOn(each -> each.node().equals(IngestTotals.OTHERS))
        .singleElement()
        .satisfies(each -> assertThat(each.batches()).isEqualTo(10));
  }
}
