package dev.headrace.cluster.membership.connection;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.protocols.TP;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends to one peer: a queue, and a thread that connects and writes. JGroups' sockets block, so a
 * peer that does not answer, or reads nothing, holds up its own sender only.
 *
 * <p>Repeated messages leave before all others: a coordinator's heartbeats, which grant leases, the
 * answers to them, and JGroups' own heartbeats. A segment table of megabytes must not cost a node
 * its lease. When too many of them wait, the oldest is dropped.
 *
 * <p>Other frames that do not fit into the queue are dropped, and so are those that wait while a
 * peer cannot be reached: JGroups sends again what was not confirmed. Thread-safe; its monitor
 * guards everything and is not held while writing.
 */
final class PeerSender {
  /** The most bytes that wait for a peer. */
  static final int MAX_QUEUED_BYTES = 16 << 20;

  /** The most repeated frames that wait. */
  static final int MAX_FIRST = 64;

  /** A longer frame waits for its turn even if it is a repeated one. */
  static final int MAX_FIRST_BYTES = 4 << 10;

  /** Offset of a frame's flags, behind its version; then that of the flags of its one message. */
  private static final int FRAME_FLAGS_AT = 2;

  private static final int MESSAGE_FLAGS_AT = 6;

  private static final int FIRST_FLAGS =
      Message.Flag.NO_RELIABILITY.value() | Message.Flag.OOB.value();

  private static final Logger LOG = LoggerFactory.getLogger(PeerSender.class);

  /** The thread ends when it has been idle for this long. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** If an attempt to write failed after this long, what has waited meanwhile is dropped. */
  private static final long UNREACHABLE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Address peer;
  private final Output output;
  private final Consumer<PeerSender> ended;

  private final ArrayDeque<byte[]> first = new ArrayDeque<>();
  private final ArrayDeque<byte[]> queue = new ArrayDeque<>();
  private long queuedBytes;
  private boolean writing;
  private boolean closed;
  private boolean parted;

  /** Writes to a peer, and may block. */
  interface Output {
    /** Connects if necessary, and writes. */
    void write(Address peer, byte[] bytes) throws Exception; // JGroups declares no narrower type
  }

  /**
   * @param ended called by the sender's thread when the sender is closed and the thread ends
   */
  PeerSender(Address peer, Output output, Consumer<PeerSender> ended) {
    this.peer = peer;
    this.output = output;
    this.ended = ended;
  }

  Address peer() {
    return peer;
  }

  /**
   * Queues a copy of a frame. If too much waits, drops it or an older one. Never blocks.
   *
   * @return false if the sender is closed, and a new one may be made
   */
  synchronized boolean send(byte[] bytes, int offset, int length) {
    if (closed) {
      return false;
    }
    if (leavesFirst(bytes, offset, length)) {
      if (first.size() == MAX_FIRST) {
        first.remove();
      }
      first.add(Arrays.copyOfRange(bytes, offset, offset + length));
      notifyAll();
    } else if (queuedBytes + length <= MAX_QUEUED_BYTES) {
      queue.add(Arrays.copyOfRange(bytes, offset, offset + length));
      queuedBytes += length;
      notifyAll();
    }
    return true;
  }

  /** Whether a frame consists of one message that needs no order with others. */
  private static boolean leavesFirst(byte[] bytes, int offset, int length) {
    if (length < MESSAGE_FLAGS_AT + Short.BYTES
        || length > MAX_FIRST_BYTES
        || (bytes[offset + FRAME_FLAGS_AT] & TP.LIST) != 0) {
      return false;
    }
    int at = offset + MESSAGE_FLAGS_AT;
    return (((bytes[at] << Byte.SIZE) | (bytes[at + 1] & 0xff)) & FIRST_FLAGS) != 0;
  }

  /** Drops what waits, and accepts nothing more. Does not interrupt a running write. */
  synchronized void close() {
    closed = true;
    clear();
    notifyAll();
  }

  /** Like {@link #close}, because the peer has left: its connection must not stay open. */
  synchronized void part() {
    parted = true;
    close();
  }

  /** Whether the sender was closed by {@link #part}. */
  synchronized boolean parted() {
    return parted;
  }

  /**
   * Waits until everything is written, at most until the deadline. Returns whether everything is.
   */
  synchronized boolean awaitWritten(long deadlineNanos) throws InterruptedException {
    while (writing || !isEmpty()) {
      long leftNanos = deadlineNanos - System.nanoTime();
      if (leftNanos <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(leftNanos, 1_000_000));
    }
    return true;
  }

  /** The loop of the sender's thread. */
  void run() {
    try {
      byte[] next = next();
      while (next != null) {
        write(next);
        next = next();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      close();
      ended.accept(this);
    }
  }

  /** Waits for the next frame to write. Returns null if the sender is closed; closes it if idle. */
  private synchronized byte @Nullable [] next() throws InterruptedException {
    writing = false;
    notifyAll();
    long idleSinceNanos = System.nanoTime();
    while (isEmpty() && !closed) {
      long leftNanos = idleSinceNanos + IDLE_NANOS - System.nanoTime();
      if (leftNanos <= 0) {
        closed = true;
      } else {
        TimeUnit.NANOSECONDS.timedWait(this, Math.max(leftNanos, 1_000_000));
      }
    }
    byte[] next = first.poll();
    if (next == null) {
      next = queue.poll();
      queuedBytes -= next == null ? 0 : next.length;
    }
    writing = next != null;
    return next;
  }

  private boolean isEmpty() {
    return first.isEmpty() && queue.isEmpty();
  }

  private void write(byte[] bytes) throws InterruptedException {
    long beganNanos = System.nanoTime();
    try {
      output.write(peer, bytes);
    } catch (InterruptedException e) {
      throw e;
    } catch (IOException e) {
      failed(beganNanos, e);
    } catch (Exception e) { // JGroups declares no narrower type
      LOG.warn("Nothing can be sent to {}", peer, e);
    }
  }

  private synchronized void failed(long beganNanos, IOException cause) {
    LOG.debug("Nothing can be sent to {}", peer, cause);
    if (System.nanoTime() - beganNanos >= UNREACHABLE_NANOS) {
      clear();
    }
  }

  private void clear() {
    first.clear();
    queue.clear();
    queuedBytes = 0;
  }
}
