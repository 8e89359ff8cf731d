package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.stream.protocol.StreamMemory;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.ReplicaState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Whole streams under faults, from seeds: crashes, migrations, refusals, broken connections, late
 * tables, growth and writes in between, and any batch size. Replay one with {@code
 * -Dheadrace.seed=N}, run more with {@code -Dheadrace.seeds=N}.
 */
class StreamSimulationTest {

  private static final int SEEDS = Integer.getInteger("headrace.seeds", 700);

  @Test
  void everyEntryArrivesExactlyOnceUnderFaults() {
    Long only = Long.getLong("headrace.seed");
    for (long seed = only == null ? 0 : only; seed < (only == null ? SEEDS : only + 1); seed++) {
      try {
        new Run(seed).go();
      } catch (Throwable e) {
        throw new AssertionError(
            "seed "
                + seed
                + " fails; replay it with: ./mvnw -o -pl stream -am test"
                + " -Dtest=StreamSimulationTest -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Dheadrace.seed="
                + seed,
            e);
      }
    }
  }

  private static final class Run implements CreditListener {
    private final Random random;
    private final SyntheticCluster cluster;
    private final boolean mayLose;
    private final int batchSize;
    private final int batchBytes;
    private final Delivery delivery;
    private final Map<String, Set<String>> currentValues = new HashMap<>();
    private final Set<String> touched = new HashSet<>();

    /** Completed segments, and how many entries had been handed over then. */
    private final Map<Integer, Integer> completed = new HashMap<>();

    private final Set<Integer> skipped = new HashSet<>();
    private final Map<String, String> seen = new HashMap<>();
    private final Set<Integer> lost = new HashSet<>();
    private final Set<String> fleeting = new TreeSet<>();
    private int received;
    private int counter;
    private final List<Collector<Map.Entry<String, String>>> paused = new ArrayList<>();
    private Collector<Map.Entry<String, String>> collector;

    Run(long seed) {
      random = new Random(seed * 0x9E3779B97F4A7C15L);
      int nodes = 1 + random.nextInt(6);
      int segments = 1 + random.nextInt(24);
      int replicas = 1 + random.nextInt(3);
      cluster = new SyntheticCluster(random.nextLong(), nodes, segments, replicas);
      cluster.maxDelayNanos = random.nextInt(4) == 0 ? 0 : 1L << random.nextInt(28);
      cluster.failuresPerMille = random.nextInt(3) == 0 ? random.nextInt(200) : 0;
      cluster.localAtOnce = random.nextBoolean();
      mayLose = random.nextInt(4) == 0;
      batchSize = random.nextInt(3) == 0 ? 1 + random.nextInt(8) : 1 + random.nextInt(400);
      batchBytes = random.nextInt(3) == 0 ? 1 + random.nextInt(200) : 1 + random.nextInt(20_000);
      memory();
      delivery = random.nextInt(4) == 0 ? Delivery.AT_MOST_ONCE : Delivery.EXACTLY_ONCE;
    }

    /** Little memory, or other streams that hold some of it. */
    private void memory() {
      int others = random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 0;
      int base = others == 0 ? 1 + random.nextInt(20_000) : 300 + random.nextInt(3_000);
      int budget = base * (others + 1) * 2 + 2_000 * others + random.nextInt(20_000);
      cluster.memory = new StreamMemory(budget, base);
      for (int i = 0; i < others; i++) {
        paused.add(new Collector<>(1 + random.nextInt(50)));
      }
    }

    void go() {
      int entries = random.nextInt(600);
      for (int i = 0; i < entries; i++) {
        put("k" + i);
      }
      touched.clear();
      CacheStream<String, String> stream =
          cluster.stream()
              .batchSize(batchSize)
              .batchBytes(batchBytes)
              .parallelism(1 + random.nextInt(5))
              .delivery(delivery)
              .listener(this);
      stream = random.nextInt(4) == 0 ? stream.adaptiveCredit() : stream;
      collector = new Collector<>(0);
      paused.forEach(
          each -> cluster.stream().delivery(Delivery.AT_MOST_ONCE).entries().subscribe(each));
      stream.entries().subscribe(collector);
      pull();
      paused.forEach(each -> each.subscription.cancel());
      cluster.settle();
      assertThat(collector.completions + collector.errors.size()).isEqualTo(1);
      check();
    }

    private void pull() {
      int quiet = 0;
      for (int turn = 0; !collector.isTerminated(); turn++) {
        if (turn % 3 == 0 && (random.nextInt(3) == 0 || quiet > 0)) {
          long demand = random.nextInt(10) == 0 ? Long.MAX_VALUE : 1 + random.nextInt(80);
          collector.subscription.request(demand);
        }
        if (random.nextInt(6) == 0) {
          disturb();
        }
        int steps = 1 + random.nextInt(8);
        boolean moved = false;
        for (int i = 0; i < steps; i++) {
          moved |= cluster.step();
        }
        quiet = moved ? 0 : quiet + 1;
        take();
        assertThat(turn).as("turns").isLessThan(300_000);
      }
      take();
      cluster.settle();
    }

    private void take() {
      for (; received < collector.received.size(); received++) {
        Map.Entry<String, String> entry = collector.received.get(received);
        assertThat(seen.put(entry.getKey(), entry.getValue()))
            .as("%s for the second time", entry.getKey())
            .isNull();
        assertThat(currentValues.get(entry.getKey()))
            .as("values of %s", entry.getKey())
            .contains(entry.getValue());
        assertThat(completed.getOrDefault(cluster.segmentOf(entry.getKey()), Integer.MAX_VALUE))
            .as("entries handed over when the segment of %s was completed", entry.getKey())
            .isGreaterThan(received);
      }
    }

    /** What is about to expire is put anew, so that its key is present without a gap. */
    private void expire() {
      for (String key : List.copyOf(fleeting)) {
        if (cluster.content.containsKey(key)) {
          put(key);
        }
      }
      fleeting.clear();
      cluster.clusterMillis += 1000;
    }

    private void put(String key) {
      put(key, 0);
    }

    private void put(String key, long expiryMillis) {
      if (expiryMillis == 0) {
        fleeting.remove(key);
      } else {
        fleeting.add(key);
      }
      String value = "v" + counter++ + "x".repeat(random.nextInt(8) == 0 ? random.nextInt(90) : 3);
      if (!cluster.content.containsKey(key)) {
        touched.add(key);
      }
      cluster.put(key, value, expiryMillis);
      currentValues.computeIfAbsent(key, k -> new HashSet<>()).add(value);
    }

    private void disturb() {
      switch (random.nextInt(11)) {
        case 0, 1 -> {
          for (int i = random.nextInt(60); i > 0; i--) {
            put("k" + random.nextInt(1200));
          }
        }
        case 2 -> {
          for (int i = random.nextInt(20); i > 0; i--) {
            String key = "k" + random.nextInt(600);
            touched.add(key);
            cluster.remove(key);
          }
        }
        case 3, 4 -> migrate();
        case 5 -> copyAgain();
        case 6 -> crash();
        case 7 -> {
          if (random.nextBoolean()) {
            cluster.advanceNanos(StreamMemory.PAUSED_NANOS);
          }
          cluster.memory.reclaim();
        }
        case 8 -> {
          for (int i = random.nextInt(60); i > 0; i--) {
            put("k" + random.nextInt(600), cluster.clusterMillis + 1000);
          }
        }
        case 9 -> expire();
        default -> cluster.publish();
      }
    }

    private void migrate() {
      int segment = random.nextInt(cluster.space.segments());
      int[] owners = cluster.ownersOf(segment);
      if (owners.length == 0) {
        return;
      }
      int to = random.nextInt(4) == 0 ? cluster.addNode() : random.nextInt(cluster.nodes.size());
      boolean usable = cluster.nodes.get(to).alive && ownersAlive(owners);
      if (!usable || Arrays.stream(owners).anyMatch(o -> o == to) || copying(segment)) {
        return;
      }
      int from = owners[random.nextInt(owners.length)];
      cluster.migrate(segment, from, to);
      cluster.own(segment, Arrays.stream(owners).map(o -> o == from ? to : o).toArray());
      boolean dropFirst = random.nextBoolean();
      if (dropFirst) {
        cluster.nodes.get(from).store.drop(segment);
      }
      cluster.schedule(
          (long) (random.nextDouble() * 5_000_000),
          () -> {
            cluster.publish();
            // A second migration may have brought it back meanwhile.
            if (Arrays.stream(cluster.ownersOf(segment)).noneMatch(o -> o == from)) {
              cluster.nodes.get(from).store.drop(segment);
            }
          });
    }

    private boolean ownersAlive(int[] owners) {
      return Arrays.stream(owners).allMatch(o -> cluster.nodes.get(o).alive);
    }

    private boolean copying(int segment) {
      return cluster.nodes.stream()
          .map(node -> node.store.replica(segment))
          .anyMatch(replica -> replica != null && !replica.state().readable());
    }

    /** A replica is copied anew; it must refuse meanwhile. */
    private void copyAgain() {
      int segment = random.nextInt(cluster.space.segments());
      int[] owners = cluster.ownersOf(segment);
      if (owners.length == 0 || copying(segment)) {
        return;
      }
      Replica replica =
          cluster.nodes.get(owners[random.nextInt(owners.length)]).store.replica(segment);
      if (replica != null) {
        replica.become(ReplicaState.COPYING);
        cluster.schedule(
            (long) (random.nextDouble() * 400_000_000),
            () -> {
              if (replica.state() == ReplicaState.COPYING) {
                replica.become(ReplicaState.OWNER);
              }
            });
      }
    }

    private void crash() {
      int victim = 1 + random.nextInt(Math.max(1, cluster.nodes.size() - 1));
      if (victim >= cluster.nodes.size() || !cluster.nodes.get(victim).alive) {
        return;
      }
      Set<Integer> wouldLose = new HashSet<>();
      for (int s = 0; s < cluster.space.segments(); s++) {
        if (Arrays.stream(cluster.ownersOf(s))
            .allMatch(o -> o == victim || !cluster.nodes.get(o).alive)) {
          wouldLose.add(s);
        }
      }
      if (!wouldLose.isEmpty() && !mayLose) {
        return;
      }
      cluster.crash(victim);
      lost.addAll(wouldLose);
      cluster.schedule(
          (long) (random.nextDouble() * 300_000_000),
          () -> {
            cluster.removeDead();
            if (random.nextBoolean()) {
              wouldLose.forEach(this::beginAnew);
            }
            cluster.publish();
          });
    }

    /** A lost segment is born again, empty, on the streaming node. */
    private void beginAnew(int segment) {
      if (cluster.ownersOf(segment).length == 0) {
        cluster.own(segment, 0);
        cluster
            .nodes
            .get(0)
            .store
            .open(segment, cluster.incarnationOf(segment), ReplicaState.OWNER);
      }
    }

    private void check() {
      if (paused.isEmpty()) {
        assertThat(cluster.mostEntries).as("law 1, entries").isLessThanOrEqualTo(batchSize);
        assertThat(cluster.mostBytes).as("law 1, bytes").isLessThanOrEqualTo(batchBytes);
      }
      assertThat(cluster.mostBytes).isLessThanOrEqualTo(cluster.memory.usage().budgetBytes());
      assertThat(cluster.memory.usage().usedBytes()).as("memory not given back").isZero();
      assertThat(cluster.buffersOut).as("buffers not given back").isZero();
      assertThat(cluster.bufferedEntries + cluster.inFlightEntries).isZero();
      if (collector.completions == 1) {
        assertThat(missed(untouched(skipped))).isEmpty();
        assertThat(completed.size() + skipped.size()).isEqualTo(cluster.space.segments());
      } else {
        Throwable failure = collector.errors.get(0);
        assertThat(failure).isInstanceOf(StreamInterruptedException.class);
        assertThat(delivery).isEqualTo(Delivery.EXACTLY_ONCE);
        List<Integer> named = ((StreamInterruptedException) failure).segments();
        assertThat(lost).containsAll(named);
        assertThat(named).isNotEmpty();
        checkToken(((StreamInterruptedException) failure).resumeToken());
      }
      if (lost.isEmpty()) {
        assertThat(collector.errors).isEmpty();
        assertThat(skipped).isEmpty();
      }
      assertThat(lost).containsAll(skipped);
    }

    private Set<String> untouched(Set<Integer> without) {
      Set<String> keys = new HashSet<>(currentValues.keySet());
      keys.removeAll(touched);
      keys.removeIf(key -> without.contains(cluster.segmentOf(key)));
      return keys;
    }

    private Set<String> missed(Set<String> keys) {
      keys.removeAll(seen.keySet());
      return keys;
    }

    /** What remains in the token and what was handed over make up everything, without overlap. */
    private void checkToken(String token) {
      Collector<Map.Entry<String, String>> rest = new Collector<>(Long.MAX_VALUE);
      cluster.stream()
          .delivery(Delivery.AT_MOST_ONCE)
          .resumeFrom(token)
          .listener(
              new StreamListener() {
                @Override
                public void segmentSkipped(int segment) {
                  skipped.add(segment);
                }
              })
          .entries()
          .subscribe(rest);
      cluster.settle();
      assertThat(rest.completions).isEqualTo(1);
      for (Map.Entry<String, String> entry : rest.received) {
        assertThat(seen.put(entry.getKey(), entry.getValue()))
            .as("%s again from the token", entry.getKey())
            .isNull();
      }
      assertThat(missed(untouched(skipped))).isEmpty();
    }

    @Override
    public void segmentCompleted(int segment) {
      assertThat(completed.put(segment, collector.received.size())).isNull();
    }

    @Override
    public void segmentSkipped(int segment) {
      skipped.add(segment);
    }

    @Override
    public void credited(int entries, long bytes) {
      assertThat(entries).isBetween(0, batchSize);
      assertThat(bytes).isNotNegative();
    }
  }
}
