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
 * Lets the computations of this node that change one key have their turns one after the other, in
 * the order in which they came: they would only overtake each other. One object per node.
 * Thread-safe; nobody is called with a lock held.
 */
public final class KeyTurns {

  /** The most computations that wait on a node. */
  static final int MAX_WAITING = 1 << 16;

  private final Map<Key, Line> lines = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();

  private record Key(String cache, ByteBuffer key) {}

  /** Those that wait behind the one whose turn it is; changed only within the map's compute. */
  private static final class Line {
    private final Queue<Waiting> waiting = new ArrayDeque<>(4);
  }

  /** A computation that waits. */
  interface Waiting {

    /**
     * Its turn has come; it must be short and not throw.
     *
     * @return false if it has been given up, and the next one is to be called
     */
    boolean begin(Effects turn);
  }

  /** The right to change a key, to be given up by {@link #end}. */
  final class Effects {
    private final Key key;
    private final @Nullable OperationReply left;

    private Effects(Key key, @Nullable OperationReply left) {
      this.key = key;
      this.left = left;
    }

    /**
     * The entry as the one before has left it, as the reply to a GET would tell it; null if that is
     * not known. Others may have changed it since.
     */
    @Nullable OperationReply left() {
      return left;
    }

    /**
     * It is over; once.
     *
     * @param leaves the entry as it is now, if that is known
     */
    void end(@Nullable OperationReply leaves) {
      Waiting next = next(key);
      while (next != null && !next.begin(new Effects(key, leaves))) {
        next = next(key);
      }
    }
  }

  /** Whether anybody has a turn. */
  boolean isBusy(String cache, byte[] key) {
    return !lines.isEmpty() && lines.containsKey(new Key(cache, ByteBuffer.wrap(key)));
  }

  /**
   * Waits for a turn.
   *
   * @param computation is called at once, or later by whoever ends the turn before
   * @return false if too many wait already
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
      Effects turn = new Effects(wrapped, null);
      if (!computation.begin(turn)) {
        turn.end(null);
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
