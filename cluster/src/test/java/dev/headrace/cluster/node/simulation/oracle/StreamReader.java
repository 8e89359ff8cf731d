package dev.headrace.cluster.node.simulation.oracle;

import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.cluster.node.simulation.Fault;
import dev.headrace.cluster.node.simulation.SimulatedNode;
import dev.headrace.cluster.node.simulation.SimulatedTime;
import dev.headrace.cluster.node.simulation.World;
import dev.headrace.rebalance.table.SegmentTable;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * Somebody who reads the whole cache by a stream, and goes on by resume tokens when it breaks: on
 * the same node or another one. Every entry is checked as it comes, and all together at the end.
 */
public final class StreamReader {

  /** What the consumer is like. */
  public enum Mood {
    /** Reads to the end. */
    KEEN,
    /** Stops in the middle until somebody wakes it. */
    STALLING,
    /** Goes away in the middle, and comes back to another node with a token. */
    MOVING,
    /** Goes away when nearly everything has been read. */
    CANCELLING
  }

  private final World world;
  private final Workload workload;
  private final Set<String> stable;
  private final Mood mood;
  private final Delivery delivery;
  private final int batchSize;
  private final int parallelism;
  private final long startNanos;
  private Progress progress = new Progress();
  private @Nullable Saved saved;
  private SimulatedNode node;
  private Part part;
  private int moves;
  private boolean stalled;
  private boolean ended;
  private boolean resuming;
  private long stalledSinceNanos;

  /** What has arrived. */
  private static final class Progress {
    final Set<String> seen = new HashSet<>();
    final Set<Integer> completed = new HashSet<>();
    final Set<Integer> skipped = new HashSet<>();

    Progress copy() {
      Progress copy = new Progress();
      copy.seen.addAll(seen);
      copy.completed.addAll(completed);
      copy.skipped.addAll(skipped);
      return copy;
    }
  }

  /** A place from which to go on. */
  private record Saved(String token, Progress progress) {}

  /**
   * @param stable keys that are present and unchanged all the time
   */
  public StreamReader(
      World world, Workload workload, SimulatedNode node, Set<String> stable, Mood mood) {
    this.world = world;
    this.workload = workload;
    this.node = node;
    this.stable = Set.copyOf(stable);
    this.mood = mood;
    this.startNanos = world.time.nanoTime();
    this.delivery = world.time.onceIn(5) ? Delivery.AT_MOST_ONCE : Delivery.EXACTLY_ONCE;
    int[] sizes = {1, 2, 5, 16, 100, 4096};
    this.batchSize = sizes[world.time.random.nextInt(sizes.length)];
    this.parallelism = 1 + world.time.random.nextInt(4);
    this.part = subscribe(null);
  }

  private Part subscribe(@Nullable String token) {
    Part made = new Part();
    part = made;
    CacheStream<String, Integer> stream =
        Workload.cacheOn(node).stream()
            .batchSize(batchSize)
            .parallelism(parallelism)
            .delivery(delivery)
            .listener(made);
    (token == null ? stream : stream.resumeFrom(token)).entries().subscribe(made);
    return made;
  }

  /** The node that reads. */
  public SimulatedNode node() {
    return node;
  }

  /** Whether a stream is open and not stalled. */
  public boolean reading() {
    return !ended && node.alive && !part.over && !stalled;
  }

  /** Whether it has read everything, or will never do so. */
  public boolean ended() {
    return ended;
  }

  /** How far it is, for people. */
  public String describe() {
    return mood
        + " reader on "
        + world.name(node)
        + (node.alive ? "" : " (dead)")
        + " has "
        + progress.seen.size()
        + " entries and "
        + progress.completed.size()
        + " segments, wants "
        + part.demand
        + (part.over ? ", waits to resume" : "")
        + (stalled ? ", stalls" : "");
  }

  /** Looks after the reader: a stalled one goes on, one whose node has died goes elsewhere. */
  public void lookAfter(boolean wakeUp) {
    if (ended) {
      return;
    }
    if (stalled && wakeUp && node.alive) {
      stalled = false;
      if (world.time.nanoTime() - stalledSinceNanos > 1_000 * SimulatedTime.MILLI) {
        world.count(Fault.CONSUMER_STALLED);
      }
      part.ask();
    }
    if (!node.alive) {
      Saved from = saved;
      if (from == null) {
        ended = true; // Nothing of it is left.
      } else {
        goOn(from);
      }
    }
  }

  /** Returns whether there is a node to go on with. */
  private boolean goOn(Saved from) {
    SimulatedNode other = world.anyReady();
    if (other == null) {
      return false;
    }
    moves++;
    stalled = false;
    node = other;
    progress = from.progress.copy();
    resuming = true;
    node.run(
        () -> {
          resuming = false;
          subscribe(from.token);
        });
    return true;
  }

  private void goOnLater(Saved from) {
    saved = from;
    world.time.schedule(
        (50 + world.time.random.nextInt(400)) * SimulatedTime.MILLI,
        () -> {
          if (!ended && part.over && !resuming && !goOn(from)) {
            goOnLater(from);
          }
        });
  }

  // ---- The end

  private void finish() {
    ended = true;
    for (String key : List.copyOf(workload.keys())) {
      int segment = workload.segment(key);
      if (!progress.seen.contains(key) && !progress.skipped.contains(segment)) {
        // What is lost while a stream runs ends the stream; it never leaves a gap.
        boolean gone = world.dangers().mayBeLostSince(segment) < startNanos;
        world.check(
            !stable.contains(key) || gone,
            () ->
                "a stream completed without " + key + " of segment " + segment + ": " + describe());
        look(key, null);
      }
    }
    SegmentTable table = world.newestTable();
    int all = table == null ? 0 : table.segments();
    int announced = progress.completed.size() + progress.skipped.size();
    world.check(
        announced == all, () -> "of " + all + " segments only " + announced + " were announced");
  }

  /** Checks a value that has arrived, or that none has. */
  private void look(String key, @Nullable Integer value) {
    try {
      workload
          .history(key)
          .seen(value, startNanos, world.time.nanoTime(), "a stream on " + world.name(node));
    } catch (AssertionError e) {
      world.fail(e); // Thrown here it would be the stream's affair.
    }
  }

  /** One subscription. */
  private final class Part implements Subscriber<Map.Entry<String, Integer>>, StreamListener {
    private @Nullable Subscription subscription;
    private long demand;
    private boolean over;
    private long overSinceNanos;

    @Override
    public void onSubscribe(Subscription given) {
      subscription = given;
      ask();
    }

    void ask() {
      int more = 1 + world.time.random.nextInt(60);
      demand += more;
      SimulatedNode here = node;
      world.time.schedule(
          world.time.random.nextInt(4_000_000),
          () ->
              here.run(
                  () -> {
                    Subscription present = subscription;
                    if (present != null) {
                      present.request(more);
                    }
                  }));
    }

    private void signalled() {
      // A drain that was under way when it was cancelled may still end what it had begun.
      world.check(
          !over || world.time.nanoTime() == overSinceNanos, "a signal after the end of a stream");
    }

    @Override
    public void onNext(Map.Entry<String, Integer> entry) {
      signalled();
      String key = entry.getKey();
      world.check(demand-- > 0, "more entries than were asked for");
      world.check(progress.seen.add(key), () -> key + " arrived twice: " + describe());
      int segment = workload.segment(key);
      world.check(
          !progress.completed.contains(segment) && !progress.skipped.contains(segment),
          () -> key + " arrived after the end of its segment " + segment);
      look(key, entry.getValue());
      act();
      if (demand == 0 && !over && !stalled) {
        ask();
      }
    }

    private void act() {
      int read = progress.seen.size();
      int half = stable.size() / 2;
      if (mood == Mood.STALLING && moves == 0 && read == half) {
        stalled = true;
        stalledSinceNanos = world.time.nanoTime();
      } else if (mood == Mood.CANCELLING && read == stable.size() - 1) {
        SimulatedNode here = node;
        world.time.schedule(world.time.random.nextInt(1_500_000), () -> here.run(this::cancel));
      }
    }

    private void cancel() {
      Subscription present = subscription;
      if (!over && present != null) {
        over = true;
        overSinceNanos = world.time.nanoTime();
        present.cancel();
        world.count(Fault.CANCELLED_AT_LAST_BATCH);
        ended = true;
      }
    }

    @Override
    public void batchConsumed(Supplier<String> token) {
      if (mood == Mood.MOVING || moves > 0 || saved == null) {
        saved = new Saved(token.get(), progress.copy());
      }
      Saved here = saved;
      Subscription present = subscription;
      boolean move = mood == Mood.MOVING && moves < 3 && world.time.onceIn(4);
      if (move && here != null && present != null && !over) {
        over = true;
        overSinceNanos = world.time.nanoTime();
        present.cancel();
        goOnLater(here);
      }
    }

    @Override
    public void segmentCompleted(int segment) {
      signalled();
      world.check(
          progress.completed.add(segment), () -> "segment " + segment + " was announced twice");
      world.count(Fault.SEGMENT_COMPLETED);
    }

    @Override
    public void segmentSkipped(int segment) {
      signalled();
      boolean lost = world.dangers().mayBeLost().get(segment);
      world.check(
          delivery == Delivery.AT_MOST_ONCE && (lost || world.streamsMayFail()),
          () -> "segment " + segment + " was left out without need");
      world.check(
          progress.skipped.add(segment), () -> "segment " + segment + " was left out twice");
      if (lost) {
        world.count(Fault.SEGMENT_SKIPPED_BY_LOSS);
      }
    }

    @Override
    public void credited(int entries, long bytes) {
      world.check(
          entries <= batchSize,
          () -> entries + " entries are buffered or in flight at a batch size of " + batchSize);
    }

    @Override
    public void onError(Throwable error) {
      signalled();
      over = true;
      overSinceNanos = world.time.nanoTime();
      boolean lossPossible = !world.dangers().mayBeLost().isEmpty();
      if (error instanceof StreamInterruptedException interrupted) {
        interrupted(interrupted);
      } else if (error instanceof ResumeTokenException && lossPossible && moves > 0) {
        ended = true;
      } else {
        world.fail(error);
      }
    }

    private void interrupted(StreamInterruptedException error) {
      boolean lost = error.segments().stream().anyMatch(s -> world.dangers().mayBeLost().get(s));
      world.check(
          !error.segments().isEmpty() && delivery == Delivery.EXACTLY_ONCE,
          () -> "a stream was interrupted without a segment: " + error);
      if (lost) {
        world.count(Fault.STREAM_FAILED_BY_LOSS);
        ended = true;
      } else {
        world.check(world.streamsMayFail(), () -> "a stream failed without need: " + error);
        goOnLater(new Saved(error.resumeToken(), progress.copy()));
      }
    }

    @Override
    public void onComplete() {
      signalled();
      over = true;
      overSinceNanos = world.time.nanoTime();
      finish();
    }
  }
}
