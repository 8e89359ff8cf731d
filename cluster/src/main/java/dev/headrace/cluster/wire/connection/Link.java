package dev.headrace.cluster.wire.connection;

import dev.headrace.api.error.UnavailableException;
import dev.headrace.api.error.WireException;
import dev.headrace.cluster.wire.codec.BodyCodec;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way to another node for one class of frames: a connection that is opened when something is to
 * be sent and opened again, later and later, after it was lost.
 *
 * <p>A sender encodes its frame straight into the {@link SendQueue} under a lock that is held for
 * just that, and whoever finds that nobody is writing becomes the writer until the queue is empty:
 * no hand-over to another thread lies between a message and its system call, and what others append
 * meanwhile leaves with one write. On the link's own event loop the writing is put off until
 * everything that was received has been dealt with. If the socket is full, the rest waits for the
 * event loop. At any time at most one thread writes.
 *
 * <p>Whenever frames are lost, because the connection was, because it could not be opened, or
 * because more than {@link SendQueue#MAX_QUEUED_BYTES} were waiting, all that were queued are
 * dropped and {@link LinkUse#lost} is told. Thread-safe.
 *
 * @param <T> what is sent
 */
@SuppressWarnings("FutureReturnValueIgnored") // What is scheduled fails through lose().
public final class Link<T> {
  /** The most bytes that may wait; beyond it the connection is given up. */
  public static final long MAX_QUEUED_BYTES = SendQueue.MAX_QUEUED_BYTES;

  private static final Logger log = LoggerFactory.getLogger(Link.class);
  private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final int MAX_DELAY_DOUBLINGS = 7;

  /** Buffers that a sender writes in a row before the event loop goes on. */
  private static final int MAX_WRITES_IN_A_ROW = 4;

  private enum State {
    IDLE,
    OPENING,
    READY,
    CLOSED
  }

  private final Wire wire;
  private final NodeId peer;
  private final ConnectionClass connectionClass;
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
  private boolean writing;
  private long nextNumber;
  private int failures;
  private long notBeforeNanos = System.nanoTime();

  /** Closed at first; the first thing to be sent opens it. */
  public Link(
      Wire wire, NodeId peer, ConnectionClass connectionClass, BodyCodec<T> codec, LinkUse<T> use) {
    this.wire = wire;
    this.peer = peer;
    this.connectionClass = connectionClass;
    this.frameType = connectionClass == ConnectionClass.BULK ? Frame.READ : Frame.MESSAGE;
    this.codec = codec;
    this.use = use;
    this.loop = wire.loops().next(connectionClass);
    this.queue = new SendQueue(wire.allocator());
  }

  NodeId peer() {
    return peer;
  }

  Wire wire() {
    return wire;
  }

  LinkUse<T> use() {
    return use;
  }

  /**
   * Sends something, or queues it until the connection is open.
   *
   * @return whether it was accepted; if not, the link is closed or gives its connection up
   */
  public boolean send(T body) {
    long boundBytes = codec.boundBytes(body) + Frame.HEADER_BYTES;
    return boundBytes <= SendQueue.CHUNK_BYTES / 2
        ? sendSmall(body, (int) boundBytes)
        : sendLarge(body, boundBytes);
  }

  private boolean sendSmall(T body, int boundBytes) {
    Runnable next;
    synchronized (lock) {
      if (refuses()) {
        return false;
      }
      ByteBuf out = queue.room(boundBytes);
      int start = out.writerIndex();
      encode(body, out, start);
      long number = nextNumber++;
      frame.write(out, start, frameType, number);
      queue.appended(out.writerIndex() - start);
      use.sending(number, body);
      next = nextStep();
    }
    next.run();
    return true;
  }

  private void encode(T body, ByteBuf out, int start) {
    boolean complete = false;
    try {
      out.writerIndex(start + Frame.HEADER_BYTES);
      codec.encode(body, out);
      complete = true;
    } finally {
      if (!complete) {
        out.writerIndex(start);
      }
    }
  }

  private boolean sendLarge(T body, long boundBytes) {
    if (boundBytes > Integer.MAX_VALUE - 1024) {
      throw new WireException(
          "a message of up to %d bytes fits into no frame; use smaller entries"
              .formatted(boundBytes));
    }
    ByteBuf out = wire.allocator().directBuffer((int) boundBytes);
    int bodyBytes;
    int checksum;
    try {
      out.writerIndex(Frame.HEADER_BYTES);
      codec.encode(body, out);
      bodyBytes = out.writerIndex() - Frame.HEADER_BYTES;
      checksum = new Frame().checksumOf(out, Frame.HEADER_BYTES, bodyBytes);
    } catch (RuntimeException e) {
      out.release();
      throw e;
    }
    Runnable next;
    synchronized (lock) {
      if (refuses()) {
        out.release();
        return false;
      }
      long number = nextNumber++;
      frame.writeHeader(out, 0, frameType, number, bodyBytes, checksum);
      queue.add(out);
      use.sending(number, body);
      next = nextStep();
    }
    next.run();
    return true;
  }

  /** Under the lock: whether nothing can be accepted. */
  private boolean refuses() {
    if (state == State.CLOSED) {
      return true;
    }
    if (queue.full()) {
      LinkConnection connection = current;
      WireException cause =
          new WireException(
              ("more than %d bytes are waiting to be sent to %s, which does not "
                      + "keep up; the connection is given up")
                  .formatted(SendQueue.MAX_QUEUED_BYTES, peer));
      onLoop(() -> lose(connection, cause));
      return true;
    }
    return false;
  }

  /** Under the lock: what the sender does after it has let go of it. */
  private Runnable nextStep() {
    if (state == State.IDLE) {
      state = State.OPENING;
      long delayNanos = notBeforeNanos - System.nanoTime();
      if (delayNanos > 0) {
        return () -> onLoop(() -> loop.schedule(this::open, delayNanos, TimeUnit.NANOSECONDS));
      }
      return () -> onLoop(this::open);
    }
    LinkConnection connection = current;
    if (state != State.READY || writing || connection == null) {
      return Link::nothing;
    }
    writing = true;
    return connection.startWriting();
  }

  private static void nothing() {}

  /** Runs a task on the loop; after the transport was closed there is none, and nothing to do. */
  void onLoop(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      log.debug("The wire is closed; nothing more is done for the link to {}", peer, e);
    }
  }

  /** Opens the connection. On the loop. */
  private void open() {
    LinkConnection connection = new LinkConnection(this, loop);
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
          member, new Handshake(wire.clusterName(), wire.self(), peer, connectionClass));
    } catch (IOException e) {
      lose(connection, new WireException("no socket for a connection to " + member, e));
    }
  }

  /** The peer has accepted the connection. On the loop. */
  void ready(LinkConnection connection) {
    synchronized (lock) {
      if (current != connection || state != State.OPENING) {
        return;
      }
      state = State.READY;
      failures = 0;
      writing = true;
    }
    write(connection);
  }

  /** Writes until the queue is empty, unless the connection has taken over. As the one writer. */
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
        next = connection.wantsMore() ? queue.next() : null;
        if (next == null) {
          writing = connection.stopped();
          return;
        }
      }
      if (!connection.write(next)) {
        return;
      }
      written = connection.writesAtOnce() ? next : null;
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

  /** The connection is gone, or has to go. On the loop. */
  void lose(@Nullable LinkConnection connection, Throwable cause) {
    Runnable after;
    synchronized (lock) {
      if (current != connection || state == State.IDLE || state == State.CLOSED) {
        return;
      }
      after = drop(cause);
      state = State.IDLE;
      int doublings = Math.min(failures++, MAX_DELAY_DOUBLINGS);
      notBeforeNanos = System.nanoTime() + (FIRST_DELAY_NANOS << doublings);
    }
    if (connection != null) {
      connection.close();
    }
    after.run();
  }

  /** Under the lock. */
  private Runnable drop(Throwable cause) {
    current = null;
    writing = false;
    nextNumber = 0;
    queue.clear();
    return use.lost(cause);
  }

  /**
   * Closes the link for good.
   *
   * @param orderly whether what is queued is still written to an open connection
   */
  public void close(boolean orderly, Throwable cause) {
    Runnable after;
    LinkConnection connection;
    List<ByteBuf> rest = new ArrayList<>();
    synchronized (lock) {
      if (state == State.CLOSED) {
        return;
      }
      connection = current;
      if (orderly && connection != null && state == State.READY && !writing) {
        for (ByteBuf next = queue.next(); next != null; next = queue.next()) {
          rest.add(next);
        }
      }
      state = State.CLOSED;
      after = drop(cause);
    }
    if (connection != null) {
      rest.forEach(connection::writeLater);
      connection.close();
    }
    after.run();
  }
}
