package dev.headrace.cluster.membership;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is sent to one peer: a queue, and a thread that connects and writes. JGroups' sockets block;
 * so whoever does not answer, or takes nothing, holds up nobody but its own sender.
 *
 * <p>What does not fit into the queue is dropped, and so is what waits while a peer cannot be
 * reached: JGroups sends again what was not confirmed. Thread-safe; guarded by its monitor, under
 * which nothing is written.
 */
final class PeerSender {
  /** Bytes that may wait for a peer. */
  static final int MAX_QUEUED_BYTES = 16 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(PeerSender.class);

  /** The thread ends when it has had nothing to do for so long. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Whoever could not be reached after so long is not given what has waited meanwhile. */
  private static final long UNREACHABLE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Address peer;
  private final Output output;
  private final Consumer<PeerSender> ended;

  private final ArrayDeque<byte[]> queue = new ArrayDeque<>();
  private long queuedBytes;
  private boolean writing;
  private boolean closed;

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
   * Queues a copy of some bytes, or drops them if too many wait. Never blocks.
   *
   * @return false if the sender is closed: then there is room for another one
   */
  synchronized boolean send(byte[] bytes, int offset, int length) {
    if (closed) {
      return false;
    }
    if (queuedBytes + length <= MAX_QUEUED_BYTES) {
      queue.add(Arrays.copyOfRange(bytes, offset, offset + length));
      queuedBytes += length;
      notifyAll();
    }
    return true;
  }

  /** Drops what waits, and takes nothing more. What is being written is not stopped. */
  synchronized void close() {
    closed = true;
    clear();
    notifyAll();
  }

  /** Waits until everything is written, or a time is up; returns whether everything is. */
  synchronized boolean awaitWritten(long deadlineNanos) throws InterruptedException {
    while (writing || !queue.isEmpty()) {
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
    while (queue.isEmpty() && !closed) {
      long leftNanos = idleSinceNanos + IDLE_NANOS - System.nanoTime();
      if (leftNanos <= 0) {
        closed = true;
      } else {
        TimeUnit.NANOSECONDS.timedWait(this, Math.max(leftNanos, 1_000_000));
      }
    }
    byte[] next = queue.poll();
    if (next != null) {
      queuedBytes -= next.length;
      writing = true;
    }
    return next;
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
    queue.clear();
    queuedBytes = 0;
  }
}
