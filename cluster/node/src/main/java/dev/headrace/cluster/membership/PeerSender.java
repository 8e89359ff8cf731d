package dev.headrace.cluster.membership;

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
 * What is sent to one peer: a queue, and a thread that connects and writes. JGroups' sockets block;
 * so whoever does not answer, or takes nothing, holds up nobody but its own sender.
 *
 * <p>What is said again and again leaves before all else that waits: a coordinator's heartbeats, by
 * which leases are granted, the answers to them, and the heartbeats by which JGroups knows who is
 * there. A table of megabytes, or many of them, must not cost anybody its lease. Of these the
 * oldest give way to new ones.
 *
 * <p>What else does not fit into the queue is dropped, and so is what waits while a peer cannot be
 * reached: JGroups sends again what was not confirmed. Thread-safe; guarded by its monitor, under
 * which nothing is written.
 */
final class PeerSender {
  /** Bytes that may wait for a peer. */
  static final int MAX_QUEUED_BYTES = 16 << 20;

  /** Frames that may wait to leave before all others. */
  static final int MAX_FIRST = 64;

  /** A longer frame waits for its turn, whatever it is. */
  static final int MAX_FIRST_BYTES = 4 << 10;

  /** Where a frame has its own flags, behind a version, and where those of its one message. */
  private static final int FRAME_FLAGS_AT = 2;

  private static final int MESSAGE_FLAGS_AT = 6;

  private static final int FIRST_FLAGS =
      Message.Flag.NO_RELIABILITY.value() | Message.Flag.OOB.value();

  private static final Logger LOG = LoggerFactory.getLogger(PeerSender.class);

  /** The thread ends when it has had nothing to do for so long. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Whoever could not be reached after so long is not given what has waited meanwhile. */
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
    /** Connects if need be, and writes. */
    void write(Address peer, byte[] bytes) throws Exception; // JGroups declares no narrower type
  }

  /**
   * @param ended is told, by the sender's thread, that the sender is closed and its thread ends
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
   * Queues a copy of a frame, or drops it or an outdated one if too much waits. Never blocks.
   *
   * @return false if the sender is closed: then there is room for another one
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

  /** Whether a frame has one message, which is in no order with others. */
  private static boolean leavesFirst(byte[] bytes, int offset, int length) {
    if (length < MESSAGE_FLAGS_AT + Short.BYTES
        || length > MAX_FIRST_BYTES
        || (bytes[offset + FRAME_FLAGS_AT] & TP.LIST) != 0) {
      return false;
    }
    int at = offset + MESSAGE_FLAGS_AT;
    return (((bytes[at] << Byte.SIZE) | (bytes[at + 1] & 0xff)) & FIRST_FLAGS) != 0;
  }

  /** Drops what waits, and takes nothing more. What is being written is not stopped. */
  synchronized void close() {
    closed = true;
    clear();
    notifyAll();
  }

  /** As {@link #close}, because the peer has left: the connection is not to stay open. */
  synchronized void part() {
    parted = true;
    close();
  }

  /** Whether it was closed because the peer has left. */
  synchronized boolean parted() {
    return parted;
  }

  /** Waits until everything is written, or a time is up; returns whether everything is. */
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

  /** What the sender's thread does. */
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

  /** The next to write; null if the sender has been closed, or is now, having been idle. */
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
