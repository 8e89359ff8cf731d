package dev.headrace.cluster.wire;

import io.netty.buffer.PooledByteBufAllocator;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * The pools from which the nodes of this process allocate, one for each open node. A node that is
 * closed leaves its pool to the next one.
 *
 * <p>Netty keeps a pool, with 8 MB or more, as long as any thread lives that has ever allocated
 * from it, and threads of callers outlive nodes. So a process that opens and closes nodes would
 * lose 8 MB with each. A pool that no living thread has used is not kept here either. Static, since
 * the nodes of a process do not know each other. Thread-safe.
 */
final class BufferPools {
  private static final int PAGE_BYTES = 8 << 10;

  /** The pool grows by 8 kB << 10 = 8 MB. Larger buffers are allocated for one use. */
  private static final int MAX_ORDER = 10;

  private static final int SMALL_CACHE = 64;
  private static final int NORMAL_CACHE = 8;

  /** Those of closed nodes, the last one first; guarded by itself. */
  private static final Deque<WeakReference<PooledByteBufAllocator>> LEFT = new ArrayDeque<>();

  private BufferPools() {}

  /**
   * Takes the pool of a closed node all of whose buffers are released, or makes one.
   *
   * @param arenas parts that have locks of their own, and grow by 8 MB each
   */
  static PooledByteBufAllocator take(int arenas) {
    synchronized (LEFT) {
      Iterator<WeakReference<PooledByteBufAllocator>> each = LEFT.iterator();
      while (each.hasNext()) {
        PooledByteBufAllocator pool = each.next().get();
        if (pool == null) {
          each.remove();
        } else if (isFree(pool, arenas)) {
          each.remove();
          return pool;
        }
      }
    }
    return new PooledByteBufAllocator(
        true, 0, arenas, PAGE_BYTES, MAX_ORDER, SMALL_CACHE, NORMAL_CACHE, false);
  }

  private static boolean isFree(PooledByteBufAllocator pool, int arenas) {
    return pool.metric().numDirectArenas() == arenas && pool.pinnedDirectMemory() == 0;
  }

  /** A node is closed. Its buffers may still be released later. */
  static void leave(PooledByteBufAllocator pool) {
    synchronized (LEFT) {
      LEFT.addFirst(new WeakReference<>(pool));
    }
  }
}
