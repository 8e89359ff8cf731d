package dev.headrace.http.entity;

import dev.headrace.api.stream.CacheStream;
import dev.headrace.http.exchange.BodySink;
import dev.headrace.http.exchange.StreamedBody;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
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
 * READING  the stream fails                             DONE     break the connection
 * any      cancelled                                    DONE     end the stream
 * </pre>
 *
 * <p>In READING the stream's thread works, in SENDING whoever brings room, one at a time.
 */
final class RangeBody implements StreamedBody {
  /** What a pass may keep. */
  static final int SELECTED_BYTES = 2 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(RangeBody.class);
  private static final int AHEAD = 256;

  private final Supplier<CacheStream<byte[], byte[]>> stream;
  private final byte @Nullable [] end;
  private final Runnable released;
  private final AtomicBoolean done = new AtomicBoolean();
  private final AtomicInteger work = new AtomicInteger();
  private final AtomicReference<@Nullable Pass> sending = new AtomicReference<>();
  private volatile @Nullable BodySink sink;
  private volatile Pass present;

  /**
   * A range.
   *
   * @param stream prepares a stream over this node's entries
   * @param end where the keys end, itself excluded; null for nowhere
   * @param released run once when nothing is held any more
   */
  RangeBody(
      Supplier<CacheStream<byte[], byte[]>> stream,
      byte[] start,
      byte @Nullable [] end,
      Runnable released) {
    this.stream = stream;
    this.end = end;
    this.released = released;
    this.present = new Pass(new SmallestKeys(SELECTED_BYTES, start, true, end));
  }

  @Override
  public void begin(BodySink begun) {
    sink = begun;
    read(present, begun);
  }

  private void read(Pass pass, BodySink to) {
    try {
      stream.get().entries().subscribe(pass);
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
    if (work.getAndIncrement() != 0) {
      return; // whoever works looks again
    }
    int seen = 1;
    while (seen != 0) {
      Pass selected = sending.get();
      BodySink to = sink;
      if (selected != null && to != null && !done.get() && selected.send(to)) {
        sending.set(null);
        next(selected, to);
      }
      seen = work.addAndGet(-seen);
    }
  }

  private void next(Pass sent, BodySink to) {
    byte[] last = sent.last;
    if (sent.selection.isComplete() || last == null) {
      if (finish()) {
        to.end(Map.of());
      }
      return;
    }
    Pass following = new Pass(new SmallestKeys(SELECTED_BYTES, last, false, end));
    present = following;
    read(following, to);
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
    private final SmallestKeys selection;
    private final AtomicReference<@Nullable Subscription> subscription = new AtomicReference<>();
    private int untilMore = AHEAD;
    private @Nullable Iterator<Map.Entry<byte[], byte[]>> left;
    private byte @Nullable [] last;

    Pass(SmallestKeys selection) {
      this.selection = selection;
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
      selection.offer(entry.getKey(), entry.getValue());
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
      left = selection.iterator();
      sending.set(this);
      room();
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
