package dev.headrace.cluster.cache;

import dev.headrace.replication.message.OperationReply;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Queues the computations of this node that change the same key, in order of arrival, since they
 * would only overtake each other. One object per node. Thread-safe; it calls nothing with a lock
 * held.
 */
public final class KeyQueues {

  /** The most computations that wait on a node. */
  static final int MAX_WAITING = 1 << 16;

  private final Map<Key, Line> lines = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();

  private record Key(String cache, ByteBuffer key) {}

  /** The computations that wait behind the present one; changed only within the map's compute. */
  private static final class Line {
    private final Queue<Waiting> waiting = new ArrayDeque<>(4);
  }

  /** A computation that waits. */
  interface Waiting {

    /**
     * Its turn has come. Must be short and must not throw.
     *
     * @return false if it was given up, so that the next one is called
     */
    boolean begin(Permit permit);
  }

  /** The right to change a key, until {@link #end}. */
  final class Permit {
    private final Key key;
    private final @Nullable OperationReply left;

    private Permit(Key key, @Nullable OperationReply left) {
      this.key = key;
      this.left = left;
    }

    /**
     * The entry as the computation before has left it, in the form of a reply to a GET; null if
     * unknown. Other nodes may have changed it since.
     */
    @Nullable OperationReply left() {
      return left;
    }

    /**
     * Ends the turn, once.
     *
     * @param leaves the entry as it is now, if known
     */
    void end(@Nullable OperationReply leaves) {
      Waiting next = next(key);
      while (next != null && !next.begin(new Permit(key, leaves))) {
        next = next(key);
      }
    }
  }

  /** Whether a computation has the key's turn. */
  boolean isBusy(String cache, byte[] key) {
    return !lines.isEmpty() && lines.containsKey(new Key(cache, ByteBuffer.wrap(key)));
  }

  /**
   * Waits for a turn.
   *
   * @param computation called at once, or later by the thread that ends the turn before
   * @return false if too many wait
   */
  boolean enter(String cache, byte[] key, Waiting computation) {
    Key wrapped = new Key(cache, ByteBuffer.wrap(key));
    boolean[] first = new boolean[1];
    boolean[] full = new boolean[1];
    lines.compute(
        wrapped,
        (same, line) -> {
          if (line == null) {
            first[0] = true;
            return new Line();
          }
          if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            full[0] = true;
          } else {
            line.waiting.add(computation);
          }
          return line;
        });
    if (first[0]) {
      Permit permit = new Permit(wrapped, null);
      if (!computation.begin(permit)) {
        permit.end(null);
      }
    }
    return !full[0];
  }

  private @Nullable Waiting next(Key key) {
    Waiting[] next = new Waiting[1];
    lines.computeIfPresent(
        key,
        (same, line) -> {
          next[0] = line.waiting.poll();
          return next[0] == null ? null : line;
        });
    if (next[0] != null) {
      waiting.decrementAndGet();
    }
    return next[0];
  }
}
