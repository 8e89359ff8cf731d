package dev.headrace.cluster.node;

import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** One stream with a moody consumer, checked entry by entry and at its end. */
final class SimulatedStream implements Subscriber<Map.Entry<String, Integer>>, StreamListener {
  private final SimulatedCluster cluster;
  private final SimulatedWorkload workload;
  private final SimulatedNode node;
  private final Set<String> stable;
  private final int batchSize;
  private final long startNanos;
  private final Set<String> seen = new HashSet<>();
  private final Set<Integer> completed = new HashSet<>();
  private @Nullable Subscription subscription;
  private long demand;
  private boolean ended;

  SimulatedStream(
      SimulatedCluster cluster,
      SimulatedWorkload workload,
      SimulatedNode node,
      Set<String> stable) {
    this.cluster = cluster;
    this.workload = workload;
    this.node = node;
    this.stable = Set.copyOf(stable);
    int[] sizes = {1, 2, 5, 16, 100, 4096};
    this.batchSize = sizes[cluster.time.random.nextInt(sizes.length)];
    this.startNanos = cluster.time.nanoTime();
    SimulatedWorkload.cacheOn(node).stream()
        .batchSize(batchSize)
        .parallelism(1 + cluster.time.random.nextInt(4))
        .delivery(Delivery.EXACTLY_ONCE)
        .listener(this)
        .entries()
        .subscribe(this);
  }

  /** Whether it has ended, or nobody is left to whom it could matter. */
  boolean ended() {
    return ended || !node.alive;
  }

  @Override
  public void onSubscribe(Subscription given) {
    subscription = given;
    ask();
  }

  private void ask() {
    int more = 1 + cluster.time.random.nextInt(60);
    demand += more;
    cluster.time.schedule(
        cluster.time.delayNanos(1, 2_000),
        () -> {
          Subscription present = subscription;
          if (node.alive && present != null) {
            present.request(more);
          }
        });
  }

  @Override
  public void onNext(Map.Entry<String, Integer> entry) {
    cluster.check(demand-- > 0, "more entries than were asked for");
    cluster.check(!ended, "an entry after the end");
    cluster.check(seen.add(entry.getKey()), entry.getKey() + " arrived twice");
    workload
        .history(entry.getKey())
        .seen(entry.getValue(), startNanos, cluster.time.nanoTime(), "a stream on " + node.id);
    if (demand == 0) {
      ask();
    }
  }

  @Override
  public void onError(Throwable error) {
    ended = true;
    cluster.fail(error);
  }

  @Override
  public void onComplete() {
    ended = true;
    cluster.check(
        seen.containsAll(stable),
        () -> {
          Set<String> missing = new HashSet<>(stable);
          missing.removeAll(seen);
          return "a stream completed without " + missing;
        });
    cluster.check(completed.size() == SimulatedRun.SEGMENTS, "segments were not announced");
  }

  @Override
  public void segmentCompleted(int segment) {
    cluster.check(completed.add(segment), "segment " + segment + " was announced twice");
  }

  @Override
  public void credited(int entries, long bytes) {
    cluster.check(
        entries <= batchSize,
        entries + " entries are buffered or in flight at a batch size of " + batchSize);
  }
}
