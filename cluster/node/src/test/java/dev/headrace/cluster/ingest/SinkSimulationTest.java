package dev.headrace.cluster.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.IngestException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.api.ingest.CacheSink;
import dev.headrace.api.ingest.IngestReport;
import io.reactivex.rxjava3.core.Flowable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Whole loads in one thread, each from a seed: slow nodes, refusals and segments that move. */
class SinkSimulationTest {
  private static final int SEEDS = 300;

  @Test
  void everyRecordEndsOnceAndTheWritesOfAKeyAreInOrder() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      load(seed);
    }
  }

  private static void load(long seed) {
    SimulatedSink world = new SimulatedSink(seed);
    Random random = new Random(~seed);
    world.refusedOnceIn = random.nextBoolean() ? 0 : 2 + random.nextInt(30);
    for (int node = 0; node < world.nodes; node++) {
      world.serviceNanos[node] = random.nextInt(4) * SimulatedSink.MILLI;
    }
    for (int i = 0; i < 20; i++) {
      int segment = random.nextInt(world.segments);
      int node = random.nextInt(world.nodes);
      world.at(random.nextInt(200) * SimulatedSink.MILLI, () -> world.move(segment, node));
    }
    boolean conflates = random.nextInt(3) == 0;
    boolean ifAbsent = random.nextInt(4) == 0;
    int keys = 1 + random.nextInt(300);
    List<Map.Entry<String, String>> entries = new ArrayList<>();
    Map<String, String> last = new HashMap<>();
    for (int i = 0; i < 1_000; i++) {
      String key = "key-" + random.nextInt(keys);
      entries.add(Map.entry(key, "value-" + i));
      if (!ifAbsent || !last.containsKey(key)) {
        last.put(key, "value-" + i);
      }
    }

    CompletableFuture<IngestReport> report =
        sink(world, random, conflates, ifAbsent).load(Flowable.fromIterable(entries));
    world.run();

    IngestReport done = report.join();
    String of = "of seed " + seed;
    assertThat(done.failed()).as(of).isZero();
    assertThat(done.total().received()).as(of).isEqualTo(1_000);
    assertThat(done.total().ended()).as(of).isEqualTo(1_000);
    assertThat(done.total().heldBytes()).as(of).isZero();
    if (world.refusedOnceIn == 0) {
      assertThat(done.total().retried()).as(of).isZero();
    }
    assertThat(world.content).as(of).isEqualTo(last);
    assertThat(world.writes.values().stream().mapToInt(Integer::intValue).sum())
        .as(of)
        .isEqualTo((int) done.written());
    if (!conflates) {
      assertThat(done.total().conflated()).as(of).isZero();
    }
  }

  private static CacheSink<String, String> sink(
      SimulatedSink world, Random random, boolean conflates, boolean ifAbsent) {
    CacheSink<String, String> sink =
        world
            .sink()
            .batchBytes(1 + random.nextInt(1_000))
            .memoryBytes(1 + random.nextInt(100_000))
            .linger(Duration.ofMillis(random.nextInt(3) * 5L));
    sink = conflates ? sink.conflating() : sink;
    return ifAbsent ? sink.ifAbsent() : sink;
  }

  @Test
  void aNodeThatTakesNothingHoldsBackTheSourceAndMemoryStaysBounded() {
    SimulatedSink world = new SimulatedSink(1);
    world.serviceNanos[0] = 1_000 * SimulatedSink.MILLI;
    long[] most = new long[1];
    CompletableFuture<IngestReport> report =
        world
            .sink()
            .memoryBytes(40_000)
            .batchBytes(1_000)
            .progress(
                Duration.ofNanos(1), progress -> most[0] = Math.max(most[0], progress.heldBytes()))
            .load(Flowable.range(0, 5_000).map(i -> Map.entry("key-" + i, "value-" + i)));
    world.run();

    assertThat(report.join().written()).isEqualTo(5_000);
    assertThat(most[0]).isPositive().isLessThanOrEqualTo(40_000);
  }

  @Test
  void whatIsRefusedForTooLongFails() {
    SimulatedSink world = new SimulatedSink(1);
    world.refusedOnceIn = 1;
    CompletableFuture<IngestReport> report =
        world
            .sink()
            .retryFor(Duration.ofSeconds(1))
            .load(Flowable.range(0, 10).map(i -> Map.entry("key-" + i % 5, "value-" + i)));
    world.run();

    assertThat(report.join().failed()).isEqualTo(10);
    assertThat(report.join().total().retried()).isPositive();
    assertThat(world.content).isEmpty();
  }

  @Test
  void aLoadEndsWithTheLifeOfItsNodeWheneverThatIs() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      SimulatedSink world = new SimulatedSink(seed);
      Random random = new Random(~seed);
      world.refusedOnceIn = 1 + random.nextInt(3);
      boolean completes = random.nextBoolean();
      HeadraceException reason = new UnavailableException("the node moves to another cluster");
      world.at(random.nextInt(120) * SimulatedSink.MILLI, () -> world.endLife(reason));
      Flowable<Map.Entry<String, String>> source =
          Flowable.range(0, 500).map(i -> Map.entry("key-" + i % 50, "value-" + i));

      CompletableFuture<IngestReport> report =
          sink(world, random, false, false)
              .load(completes ? source : source.concatWith(Flowable.never()));
      world.run();

      IngestReport all =
          report
              .handle((done, e) -> e == null ? done : ((IngestException) e).report())
              .getNow(null);
      String of = "of seed " + seed;
      assertThat(all).as(of).isNotNull();
      assertThat(all.total().ended()).as(of).isEqualTo(all.total().received());
      assertThat(all.total().heldBytes()).as(of).isZero();
      assertThat(world.content.size()).as(of).isGreaterThanOrEqualTo(all.written() > 0 ? 1 : 0);
      if (!completes) {
        assertThatThrownBy(report::join).as(of).hasRootCause(reason);
      }
    }
  }

  @Test
  void aSinkThatIsUsedWhenTheLifeHasEndedFailsAtOnce() {
    SimulatedSink world = new SimulatedSink(1);
    CacheSink<String, String> sink = world.sink();
    HeadraceException reason = new UnavailableException("the node moves to another cluster");
    world.endLife(reason);

    CompletableFuture<IngestReport> report = sink.load(Flowable.just(Map.entry("k", "v")));
    world.run();

    assertThatThrownBy(report::join)
        .hasRootCause(reason)
        .hasMessageContaining("The node has left its cluster during a load");
  }

  @Test
  void aLoadEndsWithTheLifeOfItsNodeThoughItsExecutorDropsWhatItGets() {
    SimulatedSink world = new SimulatedSink(1);
    HeadraceException reason = new UnavailableException("the node moves to another cluster");
    world.at(10 * SimulatedSink.MILLI, () -> world.endLife(reason));

    CompletableFuture<IngestReport> report =
        world
            .sink()
            .executor(task -> {})
            .load(Flowable.just(Map.entry("k", "v")).concatWith(Flowable.never()));
    world.run();

    assertThat(report).isCompletedExceptionally();
    assertThatThrownBy(report::join).hasRootCause(reason);
    assertThat(world.content).containsOnlyKeys("k");
  }
}
