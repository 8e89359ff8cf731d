package dev.headrace.replication.client;

import dev.headrace.replication.message.BulkReadReply;
import org.jspecify.annotations.Nullable;

/** Hears of a bulk read's end. */
@FunctionalInterface
public interface BulkCompletion {
  /**
   * Called once, on any thread, perhaps before {@link OperationClient#ask} returns; it must be
   * short, must not block and must not throw.
   *
   * @param reply null if there is none and will be none: the node is lost or slow, or this one is
   *     closed
   */
  void ended(@Nullable BulkReadReply reply);

  /** Whether others could be asked instead, should the node take long. */
  default boolean hasOthers() {
    return false;
  }

  /**
   * The node takes long: others are to be asked instead. Called in the place of {@link #ended}, and
   * like it, if there are others.
   */
  default void slow() {
    ended(null);
  }
}
