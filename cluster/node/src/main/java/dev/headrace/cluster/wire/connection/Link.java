package dev.headrace.cluster.wire.connection;

import dev.headrace.api.error.UnavailableException;
import dev.headrace.api.error.WireException;
import dev.headrace.cluster.wire.codec.BodyCodec;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.ProtocolVersions;
import dev.headrace.stream.NodeId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends frames of one class to another node, over a connection that it opens on demand, or that the
 * other node has opened before. After a loss it opens another one, with growing delays.
 *
 * <pre>
 * state    event                     guard              next     effects
 * ------------------------------------------------------------------------------------------------
 * IDLE     a frame is sent                              OPENING  queue it; connect, after a delay
 *                                                                if the last attempt failed
 * OPENING  a frame is sent                              OPENING  queue it
 * IDLE,    the peer opens one        none is being      OPENING  take that, and close the one that
 * OPENING                            opened, or the              is being opened
 *                                    peer is less
 * OPENING  the peer opens another    it has opened      OPENING  as if the one before were lost,
 * or READY                           the link's, too             then take the new one
 * OPENING  the peer accepts                             READY    write what is queued
 * READY    a frame is sent                              READY    queue it; write, see the writer
 * OPENING  the connection is lost,                      IDLE     drop what is queued; tell
 * or READY or the peer keeps up no                               LinkUse.lost; number frames
 *          more, or memory is short                              from 0 again
 * READY    close                     orderly            CLOSING  tell LinkUse.lost; write the rest
 * CLOSING  the queue is empty, or                       CLOSED   close the connection
 *          the connection is lost
 * IDLE,    close                     orderly or not     CLOSED   tell LinkUse.lost; drop what is
 * OPENING                                                        queued; close the connection
 * READY,   close                     not orderly        CLOSED   the same; LinkUse.lost is told
 * CLOSING                                                        once
 * CLOSING, a frame is sent                              same     refuse it
 * CLOSED
 *
 * writer   event                     guard              next     effects
 * ------------------------------------------------------------------------------------------------
 * NONE     READY, or a frame is      not on the loop,   BUSY     the sender writes
 *          queued                    or much waits
 * NONE     a frame is queued         on the loop        DUE      the loop writes, when it has
 *                                                                dealt with what it received
 * DUE      the loop's turn, or       much waits         BUSY     the loop writes
 *          a frame is queued on it
 * BUSY     the queue is empty                           NONE
 * any      the connection is lost                       NONE
 * </pre>
 *
 * <p>A sender encodes its frame straight into the {@link SendQueue}, under a lock that is held for
 * nothing else. If no thread is writing, the sender becomes the writer until the queue is empty: a
 * message reaches its system call without a change of threads, and the frames that others append
 * meanwhile leave with one write. The link's own event loop delays its writes until it has handled
 * everything that it has received, or until {@link #WRITE_AT_ONCE_BYTES} wait. If the socket is
 * full, the event loop writes the rest later. At most one thread writes at any time.
 *
 * <p>When the connection is lost, cannot be opened, or is given up because the peer has read
 * nothing for some seconds while much was queued ({@link SendQueue}), all queued frames are dropped
 * and {@link LinkUse#lost} is told. Thread-safe.
 *
 * <p>The class is long because state, queue and writer change under one lock, and none can be
 * understood without the others.
 *
 * @param <T> what is sent
 */
@SuppressWarnings("FutureReturnValueIgnored") // What is scheduled fails through lose().
public final class Link<T> {
  /** The version of the protocol whose nodes receive messages over connections they have opened. */
  public static final int BOTH_WAYS_PROTOCOL = 8;

  private static final Logger log = LoggerFactory.getLogger(Link.class);

  /** The most buffers that a sender writes in a row before the event loop continues. */
  private static final int MAX_WRITES_IN_A_ROW = 4;

  /**
   * When this much is queued, the event loop writes before it has handled all that it has received.
   */
  private static final int WRITE_AT_ONCE_BYTES = 256 << 10;

  /** When more is queued, senders should hold back what is not urgent. */
  private static final long CONGESTED_BYTES = 16 << 20;

  /** About the time within which a connection is open or lost. */
  private static final int MAX_CROSSING_WAITS = 1_000;

  /** How long it may take to notice that the peer has closed one, which it has already done. */
  private static final long LATE_CROSSING_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private enum State {
    IDLE,
    OPENING,
    READY,
    /** Writes what is queued; accepts nothing more. */
    CLOSING,
    CLOSED
  }

  /** The writer: none, a task of the event loop that has not begun, or some thread. */
  private enum Writer {
    NONE,
    DUE,
    BUSY
  }

  private final Wire wire;
  private final NodeId peer;
  private final ConnectionClass connectionClass;
  private final int share;
  private final byte frameType;
  private final BodyCodec<T> codec;
  private final LinkUse<T> use;
  private final EventLoop loop;

  private final Object lock = new Object();

  // All guarded by lock.
  private final SendQueue queue;
  private final Frame frame = new Frame();
  private State state = State.IDLE;
  private @Nullable LinkConnection current;
  private Writer writer = Writer.NONE;
  private long nextNumber;
  private long openedNanos;
  private final Reopening reopening = new Reopening();

  /** Written under the lock. */
  private volatile boolean congested;

  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

  /**
   * A link without a connection; the first frame opens one.
   *
   * @param share which of this node's connections of the class it is, from 0
   */
  public Link(
      Wire wire,
      NodeId peer,
      ConnectionClass connectionClass,
      int share,
      BodyCodec<T> codec,
      LinkUse<T> use) {
    this.wire = wire;
    this.peer = peer;
    this.connectionClass = connectionClass;
    this.share = share;
    this.frameType = connectionClass == ConnectionClass.BULK ? Frame.READ : Frame.MESSAGE;
    this.codec = codec;
    this.use = use;
    this.loop = wire.loops().of(connectionClass, share);
    this.queue = new SendQueue(wire.allocator(), use.maxQueuedBytes(), wire.queues());
  }

  NodeId peer() {
    return peer;
  }

  Wire wire() {
    return wire;
  }

  ConnectionClass connectionClass() {
    return connectionClass;
  }

  LinkUse<T> use() {
    return use;
  }

  /** Whether so much is queued that senders should hold back what is not urgent. */
  public boolean congested() {
    return congested;
  }

  /**
   * Sends a frame, or queues it until the connection is open.
   *
   * @param body the frame's body
   * @return whether it was accepted; if not, the link is closed or gives up its connection
   */
  public boolean send(T body) {
    return send(body, true);
  }

  /** Sends several frames in order, and writes them together unless they are large. */
  public void send(List<? extends T> bodies) {
    int left = bodies.size();
    for (T body : bodies) {
      send(body, --left == 0);
    }
  }

  private boolean send(T body, boolean last) {
    long boundBytes = codec.boundBytes(body) + Frame.HEADER_BYTES;
    Runnable next;
    try {
      next =
          boundBytes <= SendQueue.CHUNK_BYTES / 2
              ? queueSmall(body, (int) boundBytes, last)
              : queueLarge(body, boundBytes, last);
    } catch (OutOfMemoryError e) {
      noMemory(boundBytes, e);
      return false;
    }
    if (next == null) {
      return false;
    }
    next.run();
    return true;
  }

  /**
   * Gives up the connection because memory is short. Releases what is queued; senders send it
   * again, or it fails.
   */
  private void noMemory(long bytes, OutOfMemoryError cause) {
    WireException reason =
        new WireException(
            ("no direct memory is left for %d bytes to %s; the connection is closed:"
                    + " raise -XX:MaxDirectMemorySize of this node")
                .formatted(bytes, peer),
            cause);
    log.warn(reason.getMessage());
    synchronized (lock) {
      LinkConnection connection = current;
      Runnable next = state == State.IDLE ? use.lost(reason) : () -> lose(connection, reason);
      onLoop(next);
    }
  }

  /** Returns what the sender does next; null if the frame is refused. */
  private @Nullable Runnable queueSmall(T body, int boundBytes, boolean last) {
    synchronized (lock) {
      if (refuses()) {
        return null;
      }
      speak();
      ByteBuf out = queue.room(boundBytes);
      int start = out.writerIndex();
      Frame.encodeBody(codec, body, out, start);
      long number = nextNumber++;
      frame.write(out, start, frameType, number);
      queue.appended(out.writerIndex() - start);
      return queued(number, body, last);
    }
  }

  /** Finds out what the peer understands before the first frame. Called under the lock. */
  private void speak() {
    Member member = state == State.IDLE ? wire.members().apply(peer) : null;
    if (member != null) {
      frame.speak(ProtocolVersions.OWN.spokenWith(member.versions()));
    }
  }

  /** Returns what the sender does next; null if the frame is refused. */
  private @Nullable Runnable queueLarge(T body, long boundBytes, boolean last) {
    LargeFrame large = LargeFrame.encode(codec, body, boundBytes, wire.allocator());
    synchronized (lock) {
      if (refuses()) {
        large.out().release();
        return null;
      }
      speak();
      long number = nextNumber++;
      queue.add(large.withHeader(frame, frameType, number));
      return queued(number, body, last);
    }
  }

  /** Whether no frame is accepted. Called under the lock. */
  private boolean refuses() {
    if (state == State.CLOSED || state == State.CLOSING) {
      return true;
    }
    if (queue.hopeless(System.nanoTime())) {
      LinkConnection connection = current;
      WireException cause =
          new WireException(
              "%d bytes wait to be sent to %s, which does not keep up; the connection is closed"
                  .formatted(queue.bytes(), peer));
      onLoop(() -> lose(connection, cause));
      return true;
    }
    return false;
  }

  /**
   * A frame was queued. Called under the lock; returns what the sender does after it has released
   * the lock.
   *
   * @param last whether the sender has no further frame that could be written together with this
   *     one
   */
  private Runnable queued(long number, T body, boolean last) {
    use.sending(number, body);
    if (queue.bytes() > CONGESTED_BYTES) {
      congested = true;
    }
    if (state == State.IDLE) {
      state = State.OPENING;
      long delayNanos = reopening.delayNanos(System.nanoTime());
      if (delayNanos > 0) {
        return () -> onLoop(() -> loop.schedule(this::open, delayNanos, TimeUnit.NANOSECONDS));
      }
      return () -> onLoop(this::open);
    }
    LinkConnection connection = current;
    if (state != State.READY || connection == null || writer == Writer.BUSY) {
      return Link::nothing;
    }
    if (!last && queue.bytes() < WRITE_AT_ONCE_BYTES) {
      return Link::nothing;
    }
    if (loop.inEventLoop() && queue.bytes() < WRITE_AT_ONCE_BYTES) {
      boolean due = writer == Writer.DUE;
      writer = Writer.DUE;
      return due ? Link::nothing : connection.writeLater();
    }
    if (writer == Writer.DUE && !loop.inEventLoop()) {
      return Link::nothing;
    }
    writer = Writer.BUSY;
    return connection.writeNow();
  }

  private static void nothing() {}

  /**
   * Runs a task on the event loop, unless the transport was closed.
   *
   * @return whether the task will run
   */
  boolean onLoop(Runnable task) {
    try {
      loop.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      log.debug("The wire is closed; a task of the link to {} does not run", peer, e);
      return false;
    }
  }

  /** Opens the connection. Called on the loop. */
  private void open() {
    OpenedConnection connection = new OpenedConnection(this, loop);
    synchronized (lock) {
      if (state != State.OPENING || current != null) {
        return;
      }
      current = connection;
    }
    Member member = wire.members().apply(peer);
    if (member == null) {
      lose(connection, new UnavailableException("node " + peer + " is not a member"));
      return;
    }
    try {
      connection.connect(
          member, new Handshake(wire.clusterName(), wire.self(), peer, connectionClass, share));
    } catch (IOException e) {
      lose(connection, new WireException("no socket for a connection to " + member, e));
    }
  }

  /**
   * Takes a connection that the peer has opened to this node, so that the link sends over it, too.
   * The peer must speak {@link #BOTH_WAYS_PROTOCOL}, or it closes the connection at the first frame
   * that it gets. If both nodes open one at the same time, both use that of the lesser node. Called
   * on the link's loop, which must be the connection's.
   *
   * @param receiver handles what arrives
   * @return the connection's handler: the receiver if the link does not take it; null if it should
   *     wait for {@link PendingConnection#CHECK_MILLIS} and be offered again
   */
  public @Nullable FrameHandler accepted(Offer offer, FrameHandler receiver) {
    loseBefore(offer);
    AcceptedConnection connection;
    LinkConnection crossing;
    synchronized (lock) {
      crossing = current;
      boolean lesser = wire.self().compareTo(peer) < 0;
      if (lesser && crossing instanceof OpenedConnection && mayCross(offer.waits())) {
        return null;
      }
      boolean replaceable = crossing == null || (crossing instanceof OpenedConnection && !lesser);
      if (state != State.IDLE && !(state == State.OPENING && replaceable)) {
        return receiver;
      }
      connection = new AcceptedConnection(this, offer, receiver);
      speak();
      current = connection;
      state = State.OPENING;
    }
    if (crossing != null) {
      crossing.abandon();
    }
    return connection;
  }

  /** The peer opens another connection: it has lost the one before, which may still look open. */
  private void loseBefore(Offer offer) {
    LinkConnection before;
    synchronized (lock) {
      before = current;
    }
    if (before instanceof AcceptedConnection accepted && accepted.isBefore(offer)) {
      lose(before, new WireException("node " + peer + " has lost the connection"));
    }
  }

  /**
   * Whether the peer may close its connection, since it takes that of this node. It has closed it
   * before this node's is open, but its beginning may be read only after that. Called under the
   * lock.
   */
  private boolean mayCross(int waits) {
    return state == State.OPENING
        ? waits < MAX_CROSSING_WAITS
        : waits == 0 || System.nanoTime() - openedNanos < LATE_CROSSING_NANOS;
  }

  /** The handshake of the connection has ended. Called on the loop. */
  void ready(LinkConnection connection) {
    synchronized (lock) {
      if (current != connection || state != State.OPENING) {
        return;
      }
      state = State.READY;
      openedNanos = System.nanoTime();
      reopening.succeeded();
      writer = Writer.BUSY;
    }
    write(connection);
  }

  /** Writes if that was delayed: the event loop has handled what it received. */
  void writeIfDue(LinkConnection connection) {
    synchronized (lock) {
      if (current != connection || writer != Writer.DUE) {
        return;
      }
      writer = Writer.BUSY;
    }
    write(connection);
  }

  /**
   * Writes until the queue is empty, or until the connection finishes a write by itself. Called by
   * the writer.
   */
  void write(LinkConnection connection) {
    int writes = 0;
    ByteBuf written = null;
    while (true) {
      ByteBuf next;
      synchronized (lock) {
        if (written != null) {
          recycle(written);
        }
        if (current != connection) {
          return;
        }
        if (writes == MAX_WRITES_IN_A_ROW && !loop.inEventLoop()) {
          onLoop(() -> write(connection));
          return;
        }
        next = queue.next();
        congested &= queue.bytes() > CONGESTED_BYTES / 2;
        if (next == null) {
          writer = Writer.NONE;
          if (state != State.CLOSING) {
            return;
          }
          end();
        }
      }
      if (next == null) {
        connection.finish(() -> ended.complete(null));
        return;
      }
      if (!connection.write(next)) {
        return;
      }
      written = next;
      writes++;
    }
  }

  private void recycle(ByteBuf written) {
    if (state == State.CLOSED) {
      written.release();
    } else {
      queue.recycle(written);
    }
  }

  /** A part of the buffer that is being written has been sent. */
  void progressed() {
    synchronized (lock) {
      queue.progressed();
    }
  }

  /** Ends a connection that is lost or has to be closed. Called on the loop. */
  void lose(@Nullable LinkConnection connection, Throwable cause) {
    Runnable after = Link::nothing;
    boolean last;
    synchronized (lock) {
      if (current != connection || state == State.IDLE || state == State.CLOSED) {
        return;
      }
      last = state == State.CLOSING;
      if (last) {
        end();
      } else {
        after = use.lost(cause);
        empty();
        state = State.IDLE;
        reopening.failed(System.nanoTime());
      }
    }
    if (last) {
      ended(connection);
    } else if (connection != null) {
      connection.close();
    }
    after.run();
  }

  /** Under the lock. */
  private void end() {
    state = State.CLOSED;
    empty();
  }

  /** Under the lock. */
  private void empty() {
    current = null;
    writer = Writer.NONE;
    nextNumber = 0;
    congested = false;
    queue.clear();
  }

  /**
   * Closes the link for good: it accepts nothing more, and requests that wait for answers fail.
   *
   * @param orderly whether what is queued is still written to an open connection
   * @return completed when the connection is closed
   */
  public CompletableFuture<@Nullable Void> close(boolean orderly, Throwable cause) {
    Runnable after;
    Runnable next;
    synchronized (lock) {
      if (state == State.CLOSED || (orderly && state == State.CLOSING)) {
        return ended;
      }
      LinkConnection connection = current;
      after = state == State.CLOSING ? Link::nothing : use.lost(cause);
      if (orderly && state == State.READY && connection != null) {
        state = State.CLOSING;
        next = writer == Writer.BUSY ? Link::nothing : connection.writeNow();
        writer = Writer.BUSY;
      } else {
        end();
        next = () -> ended(connection);
      }
    }
    next.run();
    after.run();
    return ended;
  }

  private void ended(@Nullable LinkConnection connection) {
    if (connection != null) {
      connection.close();
    }
    ended.complete(null);
  }
}
