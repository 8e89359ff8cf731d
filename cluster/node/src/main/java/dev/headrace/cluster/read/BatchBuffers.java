package dev.headrace.cluster.read;

import java.nio.ByteBuffer;

/** The direct memory that batches are read into. Thread-safe. */
public interface BatchBuffers {

  /**
   * Allocates a buffer, which its owner gives back.
   *
   * @param bytes at least 1; up to about 8 MB come from a pool
   */
  Buffer allocate(int bytes);

  /** Bytes of direct memory that buffers in use occupy, those of connections included. */
  long usedBytes();

  /** A piece of direct memory with one owner at a time. {@link #run} gives it back, once. */
  interface Buffer extends Runnable {

    /** The memory, always as the same view; big-endian. */
    ByteBuffer bytes();
  }
}
