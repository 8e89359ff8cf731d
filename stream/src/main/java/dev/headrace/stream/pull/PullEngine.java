package dev.headrace.stream.pull;

import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.EntryDecoder;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.protocol.NodeRead;
import dev.headrace.stream.protocol.PendingRead;
import dev.headrace.stream.protocol.ReadyBatch;
import dev.headrace.stream.protocol.SegmentPool;
import dev.headrace.stream.protocol.StreamMachine;
import dev.headrace.stream.protocol.StreamMemory;
import dev.headrace.stream.protocol.StreamOptions;
import dev.headrace.stream.protocol.StreamSource;
import dev.headrace.stream.token.ResumeToken;
import dev.headrace.stream.token.ResumeToken.UnreadKey;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One stream, to be pulled: {@link #isReady}, then {@link #take}. It runs the machine's effects,
 * decodes batches where they lie, and tells the listener.
 *
 * <pre>
 * state       event          guard                     next        effects
 * new         plan, isReady  there is work to do       between     the machine plans
 * new         plan, isReady  the token names keys      looking up  the machine plans; an engine
 *                                                                  reads these keys first
 * between     isReady        a batch is ready          within      the decoder turns to it
 * between     isReady        none is ready or to come  ended       the machine's failure is kept
 * within      take                                     within      one entry is decoded
 * within      isReady        the batch is used up      between     it is released; its credit
 *                                                                  returns; the token advances
 * within      isReady        used up, and some of its  looking up  it is released; an engine of its
 *                            entries have expired                  own reads these keys again
 * looking up  take                                     looking up  one entry of these is decoded
 * looking up  isReady        all of them were read     between     credit returns; token advances
 * looking up  isReady        it has failed             ended       the token names what is left
 * any         an entry or a listener fails, or close   ended       everything is given back
 * </pre>
 *
 * <p>Everything but {@link #giveBackUnread} belongs to the drain: one thread at a time, each seeing
 * what the last one did. When nothing is ready, some thread runs the drain's signal as soon as that
 * may have changed. Per entry the engine touches only plain fields. All bookkeeping is per batch or
 * per segment, under {@code pulling}.
 *
 * <p>What the stream waits for (a request in flight, an alarm) keeps its drain alive; the engine
 * does not ({@link Wakeups}). So a stream that rests, and that nobody else refers to, is garbage,
 * and its buffers are given back ({@link #closeWith}).
 */
public final class PullEngine<T> implements Pulled<T>, StreamMachine.Effects, StreamMemory.Holder {

  public static final Cleaner CLEANER = Cleaner.create();

  /**
   * Held while the drain works on the machine, including calls of listeners and requests. The only
   * other threads that lock it are those that need memory, and they never wait for it.
   */
  private final ReentrantLock pulling = new ReentrantLock();

  private final StreamEnvironment environment;
  private final StreamOptions options;
  private final StreamSource source;
  private final EntryDecoder<?> decoder;
  private final ElementForm<T> form;
  private final Supplier<Place> behind = this::place;

  private final Announced<T> announced;
  private final ListenerCalls listener;
  private final StreamMemory.Account memory;
  private final StreamMachine machine;
  private final Wakeups wakeups;
  private final Supplier<String> place;
  private final boolean lookingUp;
  private final PendingReads pending = new PendingReads();

  /**
   * After so many batches without an entry the drain ends and begins anew, so that a stream whose
   * filter accepts little notices a cancellation, and lets others use its thread.
   */
  private static final int EMPTY_BATCHES = 8;

  private int emptyBatches;

  /** Entries left in the present part. */
  private int left;

  /**
   * Whether {@link #isReady} has announced the next entry, which is then handed over even if it
   * expires meanwhile.
   */
  private boolean promised;

  private final StreamDeadline deadline;
  private @Nullable OpenBatch current;
  private @Nullable ExpiredLookup lookup;

  /** What remains behind the last batch that was consumed; null until a place is asked for. */
  private @Nullable ResumeToken beforeBatch;

  private boolean planned;
  private boolean ended;
  private @Nullable Throwable failure;

  private long pulledAtNanos; // guarded by pulling

  /**
   * @param drain schedules the drain; called on any thread
   * @param pool where a rail takes its segments from; null if the stream has no rails
   */
  public PullEngine(
      StreamEnvironment environment,
      StreamOptions options,
      StreamSource source,
      EntryDecoder<?> decoder,
      ElementForm<T> form,
      Runnable drain,
      @Nullable SegmentPool pool) {
    this(environment, options, source, decoder, form, drain, pool, null);
  }

  private PullEngine(
      StreamEnvironment environment,
      StreamOptions options,
      StreamSource source,
      EntryDecoder<?> decoder,
      ElementForm<T> form,
      Runnable drain,
      @Nullable SegmentPool pool,
      @Nullable Supplier<String> place) {
    this.environment = environment;
    this.options = options.withListener(null);
    this.source = source;
    this.decoder = decoder;
    this.form = form;
    this.announced = new Announced<>(form);
    this.listener = new ListenerCalls(options.listener(), announced);
    this.place = place == null ? this::tokenBeforeBatch : place;
    this.lookingUp = place != null;
    this.wakeups = new Wakeups(environment, drain);
    this.deadline = new StreamDeadline(environment.timer(), options.pace().deadlineNanos());
    this.memory = environment.memory().new Account(this);
    this.machine =
        new StreamMachine(this.options, source, environment.ownership().self(), memory, this, pool);
  }

  /** Signals another consumer from now on. */
  @Override
  public void pulledBy(Runnable other) {
    wakeups.redirect(other);
  }

  /** Closes the engine when its user is garbage, or when the returned object is cleaned. */
  @Override
  public Cleaner.Cleanable closeWith(Object user) {
    return keptWith(CLEANER.register(user, this::close));
  }

  @Override
  public Cleaner.Cleanable keptWith(Cleaner.Cleanable end) {
    return listener.keptWith(end);
  }

  /** Whether {@link #take} would return an entry without advancing the stream. */
  @Override
  public boolean hasDecodable() {
    return promised || !announced.isEmpty() || (left > 0 && promiseNext());
  }

  /** Whether {@link #take} would return an entry. If not, the stream has ended or must wait. */
  @Override
  public boolean isReady() {
    return hasDecodable() || advance();
  }

  /** Skips entries that have expired since they were read. */
  private boolean promiseNext() {
    OpenBatch open = current;
    try {
      while (left > 0 && open != null && decoder.expired(environment.clusterMillis())) {
        open.expired(decoder.skip());
        left--;
      }
      promised = left > 0;
    } catch (Throwable e) {
      fail(undecodable(e));
    }
    return promised;
  }

  /**
   * Decodes the next entry. Only after {@link #isReady} returned true.
   *
   * @return the entry, or null if it cannot be decoded; the stream has then ended with an error
   */
  @Override
  public @Nullable T take() {
    promised = false;
    if (!announced.isEmpty()) {
      return announced.take();
    }
    if (lookup != null) {
      return takeAgain(lookup);
    }
    try {
      Object next = decoder.next();
      left--;
      return form.of(next, behind);
    } catch (Throwable e) {
      fail(undecodable(e));
      return null;
    }
  }

  private @Nullable T takeAgain(ExpiredLookup reading) {
    Object next = reading.engine().take();
    if (next == null) {
      endLookup(reading);
      return null;
    }
    return form.of(next, behind);
  }

  /**
   * The place behind the last element that was taken. Batches must have been asked for with keys.
   */
  Place place() {
    ResumeToken before = beforeBatch;
    if (before == null) {
      before = machine.token(List.of());
      beforeBatch = before;
    }
    HashSpace space = environment.hashSpace();
    ExpiredLookup reading = lookup;
    if (reading != null) {
      ReadyBatch batch = reading.batch();
      List<SegmentPart> parts = batch == null ? List.of() : batch.parts();
      List<Integer> untold = reading.completing();
      return new Place(before, parts, parts.size(), null, space, untold, null, reading.place());
    }
    OpenBatch open = current;
    if (open == null) {
      return new Place(before, List.of(), 0, null, space, List.of(), null, null);
    }
    return open.place(before, left, decoder, space);
  }

  /**
   * Forgets the announced entry: it must not have expired when it is taken, so {@link #isReady}
   * checks again.
   */
  @Override
  public void recheck() {
    promised = false;
    if (lookup != null) {
      lookup.engine().recheck();
    }
  }

  /** Whether the stream has ended, and nothing is left to take. */
  @Override
  public boolean isEnded() {
    return ended && announced.isEmpty();
  }

  /** Why the stream failed, or null. Set when it has ended. */
  @Override
  public @Nullable Throwable failure() {
    return failure;
  }

  /** Plans the stream without sending a request. An empty or impossible stream ends at once. */
  @Override
  public void plan() {
    if (planned || ended) {
      return;
    }
    pulling.lock();
    try {
      planned = true;
      deadline.schedule(wakeups);
      machine.plan(environment.ownership().view(), lookingUp, environment.timer().nanoTime());
      ResumeToken from = options.token();
      List<UnreadKey> unread = machine.unreadOfToken();
      if (from != null && !unread.isEmpty()) {
        ResumeToken chosen = from.with(from.remaining(), unread);
        lookup = ExpiredLookup.of(chosen, machine, environment, options, this::engine);
      } else if (machine.isFinished()) {
        end(machine.failure());
      }
    } catch (Throwable e) {
      fail(e);
    } finally {
      pulling.unlock();
    }
  }

  /** Ends the stream and releases everything. Idempotent. */
  @Override
  public void close() {
    end(null);
  }

  /** Ends the stream if its time is up. Its token stands behind the last element. */
  @Override
  public void endIfOverdue() {
    if (ended || !deadline.isOver()) {
      return;
    }
    plan();
    pulling.lock();
    try {
      if (!ended) {
        fail(deadline.failure(source.cache(), source.reduces() ? null : place()));
      }
    } catch (Throwable e) {
      fail(undecodable(e));
    } finally {
      pulling.unlock();
    }
  }

  private boolean advance() {
    endIfOverdue();
    plan();
    pulling.lock();
    try {
      while (!ended) {
        if (!announced.isEmpty()) {
          return true; // Before what follows it, and before its batch counts as consumed.
        }
        if (lookup != null) {
          if (lookup.engine().isReady()) {
            return true;
          } else if (!lookup.engine().isEnded()) {
            return false;
          }
          endLookup(lookup);
          continue;
        }
        if (current == null && !beginBatch()) {
          return false;
        }
        OpenBatch open = current;
        if (open != null) {
          left = open.nextPart(listener::completed);
          if (!announced.isEmpty()) {
            return true;
          } else if (left == 0) {
            finishBatch(open);
            if (open.batch().entries() == 0 && ++emptyBatches % EMPTY_BATCHES == 0) {
              wakeups.run();
              return false;
            }
          } else if (promiseNext()) {
            return true;
          }
        }
      }
    } catch (Throwable e) {
      fail(e);
    } finally {
      pulling.unlock();
    }
    return !announced.isEmpty(); // What failed may have completed something.
  }

  @Override
  public void giveBackUnread() {
    if (!pulling.tryLock()) {
      return; // It is being pulled.
    }
    try {
      long nowNanos = environment.timer().nanoTime();
      boolean paused = nowNanos - pulledAtNanos >= StreamMemory.PAUSED_NANOS;
      if (planned && !ended && paused && pending.giveBack(machine)) {
        machine.giveBackUnread(nowNanos);
        listener.credited(machine);
      }
    } finally {
      pulling.unlock();
    }
  }

  /** Begins the next batch if one is ready. Returns false if the stream has ended or must wait. */
  private boolean beginBatch() {
    pump();
    ReadyBatch next = machine.nextReady();
    if (next == null) {
      if (machine.isFinished()) {
        end(machine.failure());
      } else if (machine.isWaiting()) {
        wakeAt(environment.timer().nanoTime() + machine.watchNanos());
      }
      return false;
    }
    Batch batch = next.batch();
    if (batch == null) {
      machine.consumed(next);
      beforeBatch = null;
      if (next.skippedSegment() >= 0) {
        listener.skipped(next.skippedSegment());
      } else {
        next.parts().forEach(part -> listener.completed(part.segment()));
      }
      return true;
    }
    current = new OpenBatch(next);
    decoder.begin(batch.entries());
    return true;
  }

  private PullEngine<Object> engine(StreamEnvironment around, StreamOptions lookupOptions) {
    return new PullEngine<>(
        around,
        lookupOptions,
        source,
        decoder.another(),
        ElementForm.plain(),
        wakeups.signal(),
        null,
        place);
  }

  private void endLookup(ExpiredLookup reading) {
    ReadyBatch batch = reading.batch();
    Throwable cause = reading.engine().failure();
    if (cause != null) {
      fail(reading.failure(cause, machine, this::tokenBeforeBatch, listener::completed));
    } else {
      lookup = null;
      listener.skippedBy(reading.engine().listener);
      reading.completing().forEach(listener::completed);
      if (batch != null) {
        consumed(batch);
      } else {
        listener.consumed(machine);
      }
    }
  }

  /** The chosen keys of this look-up that were not handed over. */
  List<UnreadKey> unread() {
    List<UnreadKey> unread = new ArrayList<>(machine.unread());
    if (lookup != null) {
      unread.addAll(lookup.engine().unread());
    }
    return unread;
  }

  /** The place of the present batch, entries of which may have been handed over. */
  private String tokenBeforeBatch() {
    boolean before = lookup != null && lookup.batch() == null;
    return machine.token(before ? machine.unreadOfToken() : List.of()).encode();
  }

  private void finishBatch(OpenBatch open) {
    current = null;
    release(open.batch());
    if (open.expired() == null) {
      consumed(open.batch());
    } else {
      lookup = ExpiredLookup.of(open, machine, environment, options, this::engine);
    }
  }

  private void consumed(ReadyBatch batch) {
    machine.consumed(batch);
    beforeBatch = null;
    if (batch.entries() > 0) {
      listener.consumed(machine);
    }
  }

  /** Tells the machine what has happened meanwhile, and lets it send requests. */
  private void pump() {
    long nowNanos = environment.timer().nanoTime();
    pulledAtNanos = nowNanos;
    if (wakeups.takeAlarm()) {
      machine.tick(nowNanos);
    }
    collect(nowNanos); // First, because what has arrived is handed over whatever the view says.
    machine.viewChanged(environment.ownership().view(), nowNanos);
    machine.advance(nowNanos);
    while (pending.hasAnswer()) {
      collect(nowNanos);
      machine.advance(nowNanos);
    }
  }

  private void collect(long nowNanos) {
    PendingRead read = pending.takeEnded();
    while (read != null) {
      Object answer = read.answer();
      if (answer instanceof Batch batch) {
        listener.received(environment, read, batch);
        if (ended) { // by the listener, while the batch had no owner
          batch.release();
          return;
        }
        machine.received(read, batch, nowNanos);
      } else if (answer instanceof Throwable cause) {
        machine.failed(read, cause, nowNanos);
      } else {
        machine.returned(read);
      }
      read = pending.takeEnded();
    }
  }

  @Override
  public PendingRead send(NodeRead node, ReadRequest request) {
    PendingRead read = new PendingRead(node, request, wakeups.signal());
    pending.add(read);
    listener.credited(machine);
    try {
      environment.port().read(node.id(), request, read);
    } catch (RuntimeException e) {
      read.failed(e);
    }
    return read;
  }

  @Override
  public void abandon(PendingRead read) {
    read.abandon();
  }

  @Override
  public void awaitNewerThan(long epoch) {
    wakeups.awaitNewerThan(epoch);
  }

  @Override
  public void memoryFreed() {
    wakeups.run();
  }

  @Override
  public void wakeAt(long nanos) {
    wakeups.wakeAt(nanos);
  }

  private Throwable undecodable(Throwable cause) {
    OpenBatch open = current;
    int segment = open == null ? -1 : open.segment();
    return UndecodableEntry.failure(cause, source.cache(), segment, place.get());
  }

  private void fail(Throwable cause) {
    end(cause);
  }

  private void end(@Nullable Throwable cause) {
    pulling.lock();
    try {
      if (!ended) {
        giveEverythingBack(cause);
      }
    } finally {
      pulling.unlock();
    }
  }

  private void giveEverythingBack(@Nullable Throwable cause) {
    ended = true;
    failure = cause;
    left = 0;
    promised = false;
    wakeups.cancel();
    deadline.cancel();
    pending.abandonAll();
    for (ReadyBatch ready : machine.takeAllReady()) {
      release(ready);
    }
    if (current != null) {
      release(current.batch());
      current = null;
    }
    if (lookup != null) {
      lookup.engine().close();
    }
    memory.end();
  }

  private static void release(ReadyBatch ready) {
    Batch batch = ready.batch();
    if (batch != null) {
      batch.release();
    }
  }
}
