package dev.headrace.stream.pull;

import org.jspecify.annotations.Nullable;

/**
 * Hears of the streams of content that a node pulls. Called on any thread, the node's own included;
 * a method must be short, must not block, and must not throw.
 */
public interface StreamObserver {

  /**
   * A stream begins, on the thread that has subscribed to it.
   *
   * @param cache the name of the cache
   * @return hears of the stream
   */
  Stream begun(String cache);

  /** Hears of one stream. */
  interface Stream {

    /**
     * A batch is asked for.
     *
     * @param node the name of the node that is asked
     * @return hears of the answer
     */
    Batch asked(String node);

    /**
     * The stream has ended. Called once; never if the process ends before.
     *
     * @param elements how many elements it has handed over
     * @param complete whether it was read to its end; if it was not and has not failed, its
     *     consumer has cancelled it or forgotten it
     * @param failure why it failed, or null
     */
    void ended(long elements, boolean complete, @Nullable Throwable failure);
  }

  /** Hears of one batch: one of its methods is called, once. The stream may have ended before. */
  interface Batch {

    /**
     * It has come.
     *
     * @param entries how many entries it has
     * @param bytes how many bytes these take
     */
    void received(int entries, long bytes);

    /** It does not come: the stream asks again, asks another node, or fails. */
    void failed(Throwable cause);
  }
}
