package dev.headrace.http.entity;

import dev.headrace.http.exchange.BodySink;
import dev.headrace.http.exchange.StreamedBody;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A range of entries in the order of their keys, from replicas in the order of hashes.
 *
 * <p>Entries are found in passes. A pass reads all local entries once and keeps those with the
 * smallest keys behind the last one that was sent, as many as fit into {@link #SELECTED_BYTES};
 * they are sent, and the next pass begins behind them. So a range of b bytes on a node with n
 * entries costs about b / {@link #SELECTED_BYTES} reads of all n, and constant memory. An entry
 * that is there all the time is sent once.
 *
 * <pre>
 * state    event              guard                     next     effects
 * ------------------------------------------------------------------------------------------
 * READING  an entry                                     READING  select it, ask for more
 * READING  end of the stream                            SENDING  send while there is room
 * SENDING  room               more is selected          SENDING  send while there is room
 * SENDING  room               all was sent, it was      DONE     end the body
 *                             everything
 * SENDING  room               all was sent, there may   READING  the next pass
 *                             be more
 * SENDING  nothing was taken for long                   WAITING  forget what is selected
 * WAITING  room                                         READING  the same pass, behind what
 *                                                                was sent
 * READING  the stream fails                             DONE     break the connection
 * any      cancelled                                    DONE     end the stream
 * </pre>
 *
 * <p>In READING the stream's thread works, else whoever brings room or its end, one at a time.
 */
final class RangeBody implements StreamedBody {
  /** What a pass may keep. */
  static final int SELECTED_BYTES = 2 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(RangeBody.class);
  private static final int AHEAD = 256;

  /**
   * After so many times that nothing was taken, two seconds, the selection is forgotten: a reader
   * that is only slow must not cost a pass for each of its pauses.
   */
  static final int MOST_STALLS = 8;

  private final Supplier<? extends Publisher<Map.Entry<byte[], byte[]>>> stream;
  private final byte @Nullable [] end;
  private final Runnable released;
  private final AtomicBoolean done = new AtomicBoolean();
  private final AtomicInteger work = new AtomicInteger();
  private final AtomicReference<@Nullable Pass> sending = new AtomicReference<>();
  private volatile @Nullable BodySink sink;
  private volatile Pass present;
  private volatile boolean forget;
  private int stalls; // of the event loop

  /**
   * A range.
   *
   * @param stream prepares a stream of this node's entries
   * @param end where the keys end, itself excluded; null for nowhere
   * @param released run once when nothing is held any more
   */
  RangeBody(
      Supplier<? extends Publisher<Map.Entry<byte[], byte[]>>> stream,
      byte[] start,
      byte @Nullable [] end,
      Runnable released) {
    this.stream = stream;
    this.end = end;
    this.released = released;
    this.present = new Pass(start, true);
  }

  @Override
  public void begin(BodySink begun) {
    sink = begun;
    read(present, begun);
  }

  private void read(Pass pass, BodySink to) {
    try {
      stream.get().subscribe(pass);
    } catch (RuntimeException e) { // the node was closed in between, for example
      breakOff(e, to);
    }
  }

  private void breakOff(Throwable failure, BodySink to) {
    if (finish()) {
      LOG.debug("A range ended early", failure);
      to.abort();
    }
  }

  @Override
  public void room() {
    stalls = 0;
    work();
  }

  @Override
  public void stalled() {
    stalls++;
    if (stalls % MOST_STALLS == 0) {
      forget = true;
      work();
    }
  }

  private void work() {
    if (work.getAndIncrement() != 0) {
      return; // whoever works looks again
    }
    int seen = 1;
    while (seen != 0) {
      Pass selected = sending.get();
      BodySink to = sink;
      if (selected != null && to != null && !done.get()) {
        work(selected, to);
      }
      seen = work.addAndGet(-seen);
    }
  }

  private void work(Pass selected, BodySink to) {
    if (forget) {
      forget = false;
      if (!to.hasRoom()) {
        selected.forget();
      }
    }
    if (selected.isForgotten() ? !to.hasRoom() : !selected.send(to)) {
      return; // room() follows
    }
    sending.set(null);
    if (selected.isLast()) {
      if (finish()) {
        to.end(Map.of());
      }
    } else {
      Pass following = selected.following();
      present = following;
      read(following, to);
    }
  }

  @Override
  public void cancelled() {
    if (finish()) {
      present.cancel();
    }
  }

  private boolean finish() {
    boolean first = done.compareAndSet(false, true);
    if (first) {
      released.run();
    }
    return first;
  }

  /** One reading of all local entries, and what it has selected. */
  private final class Pass implements Subscriber<Map.Entry<byte[], byte[]>> {
    private final byte[] from;
    private final boolean fromInclusive;
    private @Nullable SmallestKeys selection; // null when forgotten
    private final AtomicReference<@Nullable Subscription> subscription = new AtomicReference<>();
    private int untilMore = AHEAD;
    private @Nullable Iterator<Map.Entry<byte[], byte[]>> left;
    private byte @Nullable [] last;

    Pass(byte[] from, boolean fromInclusive) {
      this.from = from;
      this.fromInclusive = fromInclusive;
      this.selection = new SmallestKeys(SELECTED_BYTES, from, fromInclusive, end);
    }

    @Override
    public void onSubscribe(Subscription begun) {
      subscription.set(begun);
      if (done.get()) {
        begun.cancel();
      } else {
        begun.request(2L * AHEAD);
      }
    }

    @Override
    public void onNext(Map.Entry<byte[], byte[]> entry) {
      SmallestKeys keys = selection;
      if (keys != null) {
        keys.offer(entry.getKey(), entry.getValue());
      }
      Subscription stream = subscription.get();
      if (--untilMore == 0 && stream != null) {
        untilMore = AHEAD;
        stream.request(AHEAD);
      }
    }

    @Override
    public void onError(Throwable failure) {
      BodySink to = sink;
      if (to != null) {
        breakOff(failure, to);
      }
    }

    @Override
    public void onComplete() {
      SmallestKeys keys = selection;
      left = keys == null ? null : keys.iterator();
      sending.set(this);
      work();
    }

    /** Sends while there is room. Returns whether everything was sent. */
    private boolean send(BodySink to) {
      Iterator<Map.Entry<byte[], byte[]>> entries = left;
      while (entries != null && entries.hasNext()) {
        if (!to.hasRoom()) {
          return false; // room() follows
        }
        Map.Entry<byte[], byte[]> entry = entries.next();
        last = entry.getKey();
        to.write(piece(entry.getKey(), entry.getValue()));
        entries.remove();
      }
      return true;
    }

    /** Whether everything that there is has been sent. */
    boolean isLast() {
      SmallestKeys keys = selection;
      return keys != null && (keys.isComplete() || last == null);
    }

    void forget() {
      selection = null;
      left = null;
    }

    boolean isForgotten() {
      return selection == null;
    }

    /** Reads what is behind the last entry that was sent. */
    Pass following() {
      byte[] sent = last;
      return sent == null ? new Pass(from, fromInclusive) : new Pass(sent, false);
    }

    void cancel() {
      Subscription stream = subscription.get();
      if (stream != null) {
        stream.cancel();
      }
    }
  }

  private static byte[] piece(byte[] key, byte[] value) {
    byte[] piece = new byte[key.length + 1 + value.length];
    System.arraycopy(key, 0, piece, 0, key.length);
    piece[key.length] = '\n';
    System.arraycopy(value, 0, piece, key.length + 1, value.length);
    return piece;
  }
}
