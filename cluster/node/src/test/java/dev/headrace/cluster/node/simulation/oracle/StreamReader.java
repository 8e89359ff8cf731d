package dev.headrace.cluster.node.simulation.oracle;

import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.ContentPublisher;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.api.stream.StreamSignal;
import dev.headrace.api.stream.TokenedElement;
import dev.headrace.api.stream.operator.Expressions;
import dev.headrace.cluster.node.simulation.Fault;
import dev.headrace.cluster.node.simulation.SimulatedNode;
import dev.headrace.cluster.node.simulation.SimulatedTime;
import dev.headrace.cluster.node.simulation.World;
import dev.headrace.rebalance.table.SegmentTable;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
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

  /** What is read of the entries. */
  private enum What {
    ENTRIES,
    KEYS,
    VALUES
  }

  /** In which form it comes. */
  private enum Form {
    PLAIN,
    WITH_TOKENS,
    SIGNALS,
    RAILS
  }

  /** So often a stream goes on although something was lost. */
  private static final int MOST_LOSSES = 2;

  private final World world;
  private final Workload workload;
  private final Set<String> stable;
  private final Mood mood;
  private final Delivery delivery;
  private final int batchSize;
  private final int parallelism;
  private final int batchBytes;
  private final What what;
  private final boolean iterates;
  private final Form form;
  private final int rails;
  private final boolean adaptive;
  private final @Nullable Set<Integer> someSegments;
  private final @Nullable Set<String> someKeys;

  /** The keys that a filter or a function on the nodes accepts; null without one. */
  private final @Nullable Set<String> accepted;

  private final long startNanos;
  private Progress progress = new Progress();
  private @Nullable Saved saved;
  private SimulatedNode node;
  private Part part;
  private int moves;
  private int lossesSeen;
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
    this.delivery = world.time.onceIn(3) ? Delivery.AT_MOST_ONCE : Delivery.EXACTLY_ONCE;
    int[] sizes = {1, 2, 5, 16, 100, 4096};
    this.batchSize = sizes[world.time.random.nextInt(sizes.length)];
    this.parallelism = 1 + world.time.random.nextInt(4);
    int[] bytes = {1, 400, 6_000, 100_000, CacheStream.DEFAULT_BATCH_BYTES};
    int drawnBytes = bytes[world.time.random.nextInt(bytes.length)];
    this.what =
        world.time.onceIn(3) ? (world.time.onceIn(2) ? What.KEYS : What.VALUES) : What.ENTRIES;
    Form[] forms = {Form.PLAIN, Form.PLAIN, Form.WITH_TOKENS, Form.SIGNALS, Form.RAILS};
    Form drawn = forms[world.time.random.nextInt(forms.length)];
    this.form = batchSize < 5 && drawn == Form.RAILS ? Form.WITH_TOKENS : drawn;
    // Each rail may have an entry that is larger than its share.
    this.batchBytes = form == Form.RAILS ? CacheStream.DEFAULT_BATCH_BYTES : drawnBytes;
    this.rails = form == Form.RAILS ? 2 + world.time.random.nextInt(3) : 1;
    this.adaptive = world.time.onceIn(4);
    this.iterates = form != Form.RAILS && world.time.onceIn(4);
    this.someSegments = world.time.onceIn(6) ? randomSegments() : null;
    this.someKeys = someSegments == null && world.time.onceIn(6) ? randomKeys() : null;
    this.accepted = world.time.onceIn(5) ? randomKeys() : null;
    this.part = subscribe(null);
  }

  private Set<Integer> randomSegments() {
    Set<Integer> some = new HashSet<>();
    for (int segment = 0; segment < segments(); segment++) {
      if (world.time.onceIn(2)) {
        some.add(segment);
      }
    }
    return some;
  }

  private Set<String> randomKeys() {
    Set<String> some = new LinkedHashSet<>(List.of("nowhere"));
    workload.keys().stream().filter(key -> world.time.onceIn(2)).forEach(some::add);
    return some;
  }

  private int segments() {
    SegmentTable table = world.newestTable();
    return table == null ? 0 : table.segments();
  }

  private boolean wants(String key) {
    return (someSegments == null || someSegments.contains(workload.segment(key)))
        && (someKeys == null || someKeys.contains(key))
        && (accepted == null || accepted.contains(key));
  }

  private Part subscribe(@Nullable String token) {
    Part made = new Part();
    part = made;
    SimulatedNode here = node;
    CacheStream<String, Integer> stream =
        workload.cacheOn(node).stream()
            .batchSize(batchSize)
            .batchBytes(batchBytes)
            .parallelism(parallelism)
            .delivery(delivery)
            .executor(work -> here.user().execute(() -> world.runFor(made.bounds, work)))
            .listener(made);
    if (someSegments != null && token == null) {
      stream = stream.segments(someSegments);
    }
    if (someKeys != null) {
      stream = stream.keys(someKeys);
    }
    if (token != null) {
      stream = stream.resumeFrom(List.of(token.split(",", -1)));
    }
    if (adaptive) {
      stream = stream.adaptiveCredit();
    }
    if (accepted != null) {
      // Not drawn, so that what else is drawn stays the same.
      stream =
          parallelism % 2 == 0
              ? stream.filter(Workload.AMONG, String.join(",", accepted))
              : stream.filter(Expressions.key().in(accepted));
    }
    switch (what) {
      case KEYS -> read(made, stream.keys(), key -> made.next(key, null));
      case VALUES -> read(made, stream.values(), value -> made.next(workload.keyOf(value), value));
      case ENTRIES ->
          read(made, stream.entries(), entry -> made.next(entry.getKey(), entry.getValue()));
    }
    return made;
  }

  private <T> void read(Part made, ContentPublisher<T> publisher, Consumer<T> next) {
    Consumer<TokenedElement<T>> tokened =
        element -> {
          next.accept(element.element());
          made.place(element);
        };
    switch (form) {
      case PLAIN -> made.read(publisher, next);
      case WITH_TOKENS -> made.read(publisher.withTokens(), tokened);
      case RAILS ->
          MergedRails.read(world, publisher.withTokens().rails(rails), made.adapted(tokened));
      case SIGNALS ->
          made.read(
              publisher.signals(),
              signal -> {
                if (signal instanceof StreamSignal.Element<T> element) {
                  next.accept(element.element());
                } else if (signal instanceof StreamSignal.SegmentCompleted<T> end) {
                  made.told(end.segment(), progress.completed);
                } else if (signal instanceof StreamSignal.SegmentLost<T> end) {
                  made.told(end.segment(), progress.skipped);
                }
              });
    }
  }

  /** Whether a rail has gone on, whose token may be older than what was told of segments. */
  private boolean isOnLaterRails() {
    return form == Form.RAILS && moves > 0;
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
      if (wants(key) && !progress.seen.contains(key) && !progress.skipped.contains(segment)) {
        // What is lost while a stream runs ends the stream; it never leaves a gap.
        boolean gone = world.dangers().mayBeLostSince(segment) < startNanos;
        world.check(
            !stable.contains(key) || gone,
            () ->
                "a stream completed without " + key + " of segment " + segment + ": " + describe());
        look(key, null);
      }
    }
    int announced = progress.completed.size() + progress.skipped.size();
    int all = someSegments == null ? segments() : someSegments.size();
    world.check(
        announced == all
            || (someKeys != null && announced <= all)
            || (isOnLaterRails() && announced >= all),
        () -> "of " + all + " segments only " + announced + " were announced");
  }

  /** Checks a value that has arrived, or that none has. */
  private void look(String key, @Nullable Integer value) {
    long truth = world.lag().truthNanos(node, startNanos);
    try {
      workload
          .history(key)
          .seen(value, truth, world.time.nanoTime(), "a stream on " + world.name(node));
    } catch (AssertionError e) {
      world.fail(e); // Thrown here it would be the stream's affair.
    }
  }

  /** One subscription. */
  private final class Part implements StreamListener {
    // A hedged stream may have asked each owner of each segment, the others being late.
    final StreamBounds bounds =
        new StreamBounds(world, batchSize, batchBytes, adaptive ? batchSize : rails * parallelism);
    private @Nullable Subscription subscription;
    private final Set<Integer> told = new HashSet<>();
    private long demand;
    private boolean over;
    private long overSinceNanos;

    /** Begins to read; hands on what arrives. */
    <T> void read(StreamPublisher<T> publisher, Consumer<T> next) {
      Subscriber<T> reader = adapted(next);
      if (iterates) {
        world.count(Fault.ITERATED);
        PulledOnce.read(world, node, publisher.iterator(), reader, bounds);
      } else {
        publisher.subscribe(reader);
      }
    }

    <T> Subscriber<T> adapted(Consumer<T> next) {
      return new Subscriber<>() {
        @Override
        public void onSubscribe(Subscription given) {
          subscription = given;
          ask();
        }

        @Override
        public void onNext(T element) {
          next.accept(element);
        }

        @Override
        public void onError(Throwable error) {
          Part.this.onError(error);
        }

        @Override
        public void onComplete() {
          Part.this.onComplete();
        }
      };
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

    void next(@Nullable String key, @Nullable Integer value) {
      signalled();
      if (key == null) {
        throw new AssertionError("nobody has written the value " + value);
      }
      world.check(wants(key), () -> key + " arrived, which was not asked for");
      world.check(demand-- > 0, "more entries than were asked for");
      world.check(progress.seen.add(key), () -> key + " arrived twice: " + describe());
      int segment = workload.segment(key);
      world.check(
          (!progress.completed.contains(segment) && !progress.skipped.contains(segment))
              || isOnLaterRails(),
          () -> key + " arrived after the end of its segment " + segment);
      if (value != null) {
        look(key, value);
      }
      act();
      if (demand == 0 && !over && !stalled) {
        ask();
      }
    }

    /** A signal says what the listener has heard before: a segment has ended. */
    void told(int segment, Set<Integer> heard) {
      signalled();
      world.check(demand-- > 0, "more signals than were asked for");
      world.check(
          heard.contains(segment) && told.add(segment),
          () -> "the end of segment " + segment + " was signalled at the wrong time");
      if (demand == 0 && !over && !stalled) {
        ask();
      }
    }

    /** The reader could go on behind an element. */
    void place(TokenedElement<?> behind) {
      if (over || mood == Mood.CANCELLING || !world.time.onceIn(6)) {
        return;
      }
      Saved here = new Saved(behind.token(), progress.copy());
      saved = here;
      world.count(Fault.CHECKPOINT_AT_ENTRY);
      if (mood == Mood.MOVING && moves < 3 && world.time.onceIn(6)) {
        leave(here);
      }
    }

    private void leave(Saved here) {
      Subscription present = subscription;
      if (present != null && !over) {
        over = true;
        overSinceNanos = world.time.nanoTime();
        present.cancel();
        goOnLater(here);
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
      if (form == Form.RAILS) {
        return; // The token is that of one rail, and it is not told of which.
      }
      if (mood == Mood.MOVING || moves > 0 || saved == null) {
        saved = new Saved(token.get(), progress.copy());
      }
      Saved here = saved;
      boolean move = mood == Mood.MOVING && moves < 3 && world.time.onceIn(4);
      if (move && here != null) {
        leave(here);
      }
    }

    @Override
    public void segmentCompleted(int segment) {
      signalled();
      world.check(
          progress.completed.add(segment) || isOnLaterRails(),
          () -> "segment " + segment + " was announced twice");
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
          progress.skipped.add(segment) || isOnLaterRails(),
          () -> "segment " + segment + " was left out twice");
      if (lost) {
        world.count(Fault.SEGMENT_SKIPPED_BY_LOSS);
      }
    }

    void onError(Throwable error) {
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
        // A token over what is gone must not lead to its end either.
        ended = ++lossesSeen > MOST_LOSSES;
        if (!ended) {
          goOnLater(new Saved(error.resumeToken(), progress.copy()));
        }
      } else {
        world.check(world.streamsMayFail(), () -> "a stream failed without need: " + error);
        goOnLater(new Saved(error.resumeToken(), progress.copy()));
      }
    }

    void onComplete() {
      signalled();
      if (form == Form.SIGNALS) {
        world.check(
            moves > 0 || told.size() == progress.completed.size() + progress.skipped.size(),
            "a stream of signals has not told all ends of segments");
      }
      over = true;
      overSinceNanos = world.time.nanoTime();
      finish();
    }
  }
}
