package dev.headrace.cluster.process;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What writers have begun and what the cache has acknowledged, in memory that all processes of the
 * test share. A reader looks at {@link #acknowledged} before it reads and at {@link #begun} after:
 * what it read must lie between the two.
 *
 * <p>Thread-safe, and safe between processes; each key is noted by one thread at a time.
 */
final class Board {
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final int COUNTER_BASE = Content.WRITTEN * 2;
  private static final int SLOTS = COUNTER_BASE + Content.COUNTERS * 2;

  private final ByteBuffer memory;

  private Board(ByteBuffer memory) {
    this.memory = memory;
  }

  /** Maps the board of a file, which is created if there is none. */
  static Board open(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long bytes = (long) SLOTS * Long.BYTES;
      return new Board(channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes));
    }
  }

  /** Notes that the next version of a key is about to be written, and returns it. */
  long begin(int key) {
    return add(key * 2, 1) + 1;
  }

  /** Notes that the version that was begun last has been refused, and does not exist. */
  void refuse(int key) {
    add(key * 2, -1);
  }

  /** Notes that a version of a key has been acknowledged. */
  void acknowledge(int key, long version) {
    LONGS.setVolatile(memory, (key * 2 + 1) * Long.BYTES, version);
  }

  /** The newest version of a key that may exist. */
  long begun(int key) {
    return get(key * 2);
  }

  /** The newest version of a key that was acknowledged: it or a newer one is what the key has. */
  long acknowledged(int key) {
    return get(key * 2 + 1);
  }

  /** Notes that one was added to a counter. */
  void added(int counter) {
    add(COUNTER_BASE + counter * 2, 1);
  }

  /** Notes that one may have been added to a counter. */
  void perhapsAdded(int counter) {
    add(COUNTER_BASE + counter * 2 + 1, 1);
  }

  /** The least that a counter must have when nobody adds to it. */
  long leastCount(int counter) {
    return get(COUNTER_BASE + counter * 2);
  }

  /** The most that it may have. */
  long mostCount(int counter) {
    return leastCount(counter) + get(COUNTER_BASE + counter * 2 + 1);
  }

  private long add(int slot, long by) {
    return (long) LONGS.getAndAdd(memory, slot * Long.BYTES, by);
  }

  private long get(int slot) {
    return (long) LONGS.getVolatile(memory, slot * Long.BYTES);
  }
}
