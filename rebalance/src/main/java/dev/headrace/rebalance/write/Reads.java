package dev.headrace.rebalance.write;

import dev.headrace.rebalance.message.OperationReply;
import dev.headrace.rebalance.message.OperationReply.Outcome;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.StoredEntry;
import dev.headrace.stream.store.Replica;
import org.jspecify.annotations.Nullable;

/**
 * Answers GETs without a lane: every owner's replica has all that was acknowledged, and the store
 * can be read while it is written.
 */
final class Reads {

  private Reads() {}

  /**
   * Looks a key up in a segment that the node holds.
   *
   * @param cache null if nothing of the cache was ever here, so that it is empty
   * @param hash the key's hash
   */
  static OperationReply find(
      Holdings holdings,
      @Nullable CacheSegments cache,
      int segment,
      long hash,
      byte[] key,
      boolean wantValue,
      long sequence) {
    long epoch = holdings.table().epoch();
    if (cache == null) {
      return OperationReply.without(sequence, Outcome.DONE, epoch);
    }
    Replica replica = cache.store().replica(segment);
    if (replica == null) {
      return OperationReply.without(sequence, Outcome.STALE, epoch);
    }
    HashSpace space = cache.store().space();
    StoredEntry entry = replica.find(space.position(hash), key);
    // Asked after the read: one that ran into a drop does not count.
    if (!replica.state().readable()) {
      return OperationReply.without(sequence, Outcome.STALE, epoch);
    }
    if (entry == null) {
      return OperationReply.without(sequence, Outcome.DONE, epoch);
    }
    return new OperationReply(
        sequence,
        Outcome.DONE,
        true,
        wantValue ? entry.value() : null,
        entry.term(),
        entry.counter(),
        0,
        epoch);
  }
}
