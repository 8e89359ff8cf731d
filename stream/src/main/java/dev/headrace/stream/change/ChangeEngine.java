package dev.headrace.stream.change;

import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.api.stream.Change;
import dev.headrace.api.stream.ChangeListener;
import dev.headrace.stream.Ownership;
import dev.headrace.stream.Timer;
import dev.headrace.stream.change.ChangeMachine.Question;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.pull.DrainSignal;
import dev.headrace.stream.pull.Pulled;
import dev.headrace.stream.pull.UserListener;
import java.lang.ref.Cleaner;
import java.util.BitSet;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * One stream of changes, to be pulled: it asks what its {@link ChangeMachine} wants to know,
 * decodes what has come, and tells the listener.
 *
 * <p>Everything belongs to the drain, except for the arrival of answers, which wait in a queue of
 * one per node.
 */
final class ChangeEngine<K, V> implements Pulled<Change<K, V>> {
  private static final Cleaner CLEANER = Cleaner.create();
  private static final ChangeListener NO_LISTENER = new ChangeListener() {};

  private final ChangeEnvironment environment;
  private final ChangeOptions options;
  private final ChangeSource<K, V> source;
  private final UserListener<ChangeListener> listener;
  private final ChunkReader<K, V> reader;
  private final Map<Integer, SegmentFeed> feeds = new TreeMap<>();
  private final Queue<Arrival> arrivals = new ConcurrentLinkedQueue<>();
  private final DrainSignal drain;
  private volatile boolean closed;
  private final ChangeReaders.Lag lag;
  private @Nullable ChangeMachine machine;
  private Timer.@Nullable Cancellable alarm;
  private boolean startedTold;
  private boolean taken;
  private boolean ended;
  private @Nullable Throwable failure;

  private record Arrival(Question question, @Nullable ChangeAnswer answer) {}

  /**
   * @param drain schedules the drain; called on any thread
   */
  ChangeEngine(
      ChangeEnvironment environment,
      ChangeOptions options,
      ChangeSource<K, V> source,
      Runnable drain) {
    this.environment = environment;
    this.options = options.withListener(null);
    this.source = source;
    this.drain = new DrainSignal(drain);
    this.lag = environment.readers().begin();
    this.listener = new UserListener<>(options.listener());
    this.reader = new ChunkReader<>(source, environment.node().clusterMillis(), options);
  }

  @Override
  public void pulledBy(Runnable other) {
    drain.redirect(other);
  }

  @Override
  public Cleaner.Cleanable closeWith(Object user) {
    return keptWith(CLEANER.register(user, this::close));
  }

  @Override
  public Cleaner.Cleanable keptWith(Cleaner.Cleanable end) {
    return listener.keptWith(end);
  }

  private ChangeListener watcher() {
    ChangeListener watcher = listener.get();
    return watcher == null ? NO_LISTENER : watcher;
  }

  // ---- The plan

  @Override
  public void plan() {
    if (machine != null || ended) {
      return;
    }
    try {
      Ownership.View view = environment.node().ownership().view();
      ChangeToken token = options.token();
      if (token == null) {
        beginAnew(view);
      } else {
        goOn(view, token);
      }
      machine =
          new ChangeMachine(
              new ChangeMachine.Terms(
                  source.cache(),
                  source.format(),
                  reader(),
                  options.previous(),
                  options.batchBytes()),
              feeds,
              this::token);
    } catch (RuntimeException e) {
      end(e);
    }
  }

  /** Two streams of a node that begin at different moments differ, but for rare collisions. */
  private int reader() {
    return Long.hashCode(environment.node().timer().nanoTime() * 0x9E3779B97F4A7C15L)
        & Integer.MAX_VALUE;
  }

  private void beginAnew(Ownership.View view) {
    BitSet chosen = options.segments();
    BitSet ofKeys = source.only() == null ? null : source.only().segments();
    for (int segment = 0; segment < view.segments(); segment++) {
      boolean wanted =
          (chosen == null || chosen.get(segment)) && (ofKeys == null || ofKeys.get(segment));
      if (wanted) {
        Cursor content = options.content() ? Cursor.START : null;
        feeds.put(segment, new SegmentFeed(segment, view.incarnation(segment), 0, -1, content));
      }
    }
  }

  private void goOn(Ownership.View view, ChangeToken token) {
    boolean fits =
        token.cache().equals(source.cache())
            && token.clusterIdentity() == environment.node().clusterIdentity()
            && token.segments() == view.segments();
    if (!fits) {
      throw new ResumeTokenException(
          "The resume token is of cache \"%s\" in another cluster, or of another cache than \"%s\": use it where it comes from, or begin anew"
              .formatted(token.cache(), source.cache()),
          FaultScope.ofCache(source.cache()));
    }
    for (ChangeToken.Place place : token.places()) {
      if (view.incarnation(place.segment()) != place.incarnation()) {
        throw new ResumeTokenException(
            "The resume token has outlived its data: segment %d of \"%s\" has lost its content since. Begin anew, with the content"
                .formatted(place.segment(), source.cache()),
            FaultScope.ofSegment(source.cache(), place.segment()));
      }
      feeds.put(
          place.segment(),
          new SegmentFeed(
              place.segment(), place.incarnation(), place.next(), place.term(), place.content()));
    }
    startedTold = true;
  }

  private String token() {
    return new ChangeToken(
            environment.node().clusterIdentity(),
            source.cache(),
            environment.node().hashSpace().segments(),
            feeds.values().stream().map(reader::place).toList())
        .encode();
  }

  // ---- Elements

  @Override
  public boolean hasDecodable() {
    return !ended && !taken && reader.chunk() != null && nextOfChunk();
  }

  @Override
  public boolean isReady() {
    try {
      tellTaken();
      while (!ended && !closed) {
        if (reader.chunk() != null) {
          if (nextOfChunk()) {
            return true;
          }
          finishChunk();
        } else if (!advance()) {
          return false;
        }
      }
    } catch (Throwable e) {
      end(e);
    }
    return false;
  }

  private boolean nextOfChunk() {
    try {
      return reader.hasNext();
    } catch (RuntimeException e) {
      end(undecodable(e));
      return false;
    }
  }

  private void tellTaken() {
    if (taken) {
      taken = false;
      watcher().consumed(this::token);
    }
  }

  private void finishChunk() {
    Chunk done = reader.chunk();
    ChangeMachine present = machine;
    if (done == null || present == null) {
      return;
    }
    boolean wasReading = done.feed().content != null;
    present.consumed(done);
    reader.end();
    if (wasReading && done.feed().content == null) {
      watcher().segmentCompleted(done.feed().segment);
    }
  }

  /** Finds something to read; false if the stream has to wait. */
  private boolean advance() {
    plan();
    ChangeMachine present = machine;
    if (present == null || ended) {
      return false;
    }
    takeArrivals(present);
    tellStart(present);
    Chunk next = present.poll();
    if (next != null) {
      if (next.what() == Chunk.What.REPLACEMENT) {
        watcher().rangeReplaced(next.feed().segment);
      }
      reader.begin(next);
    }
    if (next == null && present.failure() == null) {
      ask(present); // which may find out that the stream cannot go on, with nothing else to come
    }
    Throwable reason = present.failure();
    if (next == null && reason != null) {
      end(reason);
      return false;
    }
    if (next != null && present.mayAsk()) {
      ask(present);
    }
    if (next == null) {
      tellLag(present);
    }
    return next != null || !arrivals.isEmpty();
  }

  private void tellLag(ChangeMachine present) {
    if (present.isLevel()) {
      lag.level();
    }
    if (!present.isLevel() || !arrivals.isEmpty()) {
      lag.behind(); // Whatever has arrived meanwhile may have told so before.
    }
  }

  private void takeArrivals(ChangeMachine present) {
    long nowNanos = environment.node().timer().nanoTime();
    for (Arrival next = arrivals.poll(); next != null; next = arrivals.poll()) {
      present.answered(next.question, next.answer, nowNanos);
    }
  }

  private void tellStart(ChangeMachine present) {
    if (!startedTold && present.started()) {
      startedTold = true;
      watcher().started();
    }
  }

  private void ask(ChangeMachine present) {
    Timer timer = environment.node().timer();
    Ownership.View view = environment.node().ownership().view();
    Runnable signal = drain.held(); // A question on its way and an alarm keep the drain alive.
    for (Question question : present.ask(view, timer.nanoTime())) {
      environment
          .port()
          .ask(
              question.node(),
              question.query(),
              answer -> {
                arrivals.add(new Arrival(question, answer));
                if (answer == null || answer.bytes().length > 0) {
                  lag.behind();
                }
                signal.run();
              });
    }
    if (alarm != null) {
      alarm.cancel();
      alarm = null;
    }
    if (present.alarmed()) {
      long delayNanos = Math.max(0, present.alarmNanos() - timer.nanoTime());
      alarm = timer.schedule(delayNanos, signal);
    }
  }

  @Override
  public @Nullable Change<K, V> take() {
    try {
      Change<K, V> next = reader.take();
      taken = true;
      return next;
    } catch (RuntimeException e) {
      end(undecodable(e));
      return null;
    }
  }

  private Throwable undecodable(RuntimeException cause) {
    return cause instanceof HeadraceException
        ? cause
        : new HeadraceException(
            "A change of \"%s\" cannot be decoded: open the cache with the codecs that wrote it"
                .formatted(source.cache()),
            cause);
  }

  @Override
  public void recheck() {
    // A change stays true, however long it waits.
  }

  // ---- The end

  @Override
  public boolean isEnded() {
    return ended;
  }

  @Override
  public @Nullable Throwable failure() {
    return failure;
  }

  private void end(@Nullable Throwable cause) {
    if (!ended) {
      ended = true;
      failure = cause;
    }
    close();
  }

  /** Nothing is held for a stream but by the stream: what still arrives is garbage with it. */
  @Override
  public void close() {
    closed = true;
    lag.end();
    Timer.Cancellable waiting = alarm;
    if (waiting != null) {
      waiting.cancel();
    }
  }
}
