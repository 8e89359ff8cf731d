package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.role.LeaseCheck;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.StoredEntry;
import dev.headrace.stream.store.Replica;
import org.jspecify.annotations.Nullable;

/**
 * Answers GETs without a lane: every owner's replica has all that was acknowledged, and the store
 * can be read while it is written. Thread-safe.
 */
final class Reads {
  private final Caches caches;
  private final LeaseCheck lease;
  private final Transport transport;
  private final LaneHost host;

  Reads(Caches caches, LeaseCheck lease, Transport transport, LaneHost host) {
    this.caches = caches;
    this.lease = lease;
    this.transport = transport;
    this.host = host;
  }

  /** Answers a GET: any owner may, for each has all that was acknowledged. */
  OperationReply read(NodeId from, Operation operation, LocalReplicas now) {
    SegmentTable table = now.table();
    int segment = operation.segment();
    long sequence = operation.id().sequence();
    EpochCheck check = EpochCheck.of(table, segment, operation.epoch(), operation.segmentEpoch());
    if (check == EpochCheck.SENDER_BEHIND) {
      host.outdated(from, operation.epoch());
    }
    if (check != EpochCheck.SAME_OWNERS || !now.owns(segment)) {
      return OperationReply.without(sequence, Outcome.STALE, table.epoch());
    }
    CacheSegments cache = caches.find(operation.cache());
    if (cache != null && !cache.cache().admits(operation.format())) {
      OperationReply refusal =
          OperationReply.without(sequence, Outcome.WRONG_FORMAT, table.epoch());
      return counted(refusal, now, segment);
    }
    long hash = now.space().hash(operation.key());
    return find(
        now, operation.cache(), segment, hash, operation.key(), operation.wantPrevious(), sequence);
  }

  private OperationReply find(
      LocalReplicas now,
      String cacheName,
      int segment,
      long hash,
      byte[] key,
      boolean wantValue,
      long sequence) {
    CacheSegments cache = caches.find(cacheName);
    if (cache == null && !now.holds(segment)) {
      // Whether it is empty only the other owners know; its lane asks them.
      caches.admit(cacheName);
      return OperationReply.without(sequence, Outcome.STALE, now.table().epoch());
    }
    OperationReply reply = lookUp(now, cache, segment, hash, key, wantValue, sequence);
    return counted(reply, now, segment);
  }

  /** What was found in a segment, if it counts. */
  private OperationReply counted(OperationReply reply, LocalReplicas readFrom, int segment) {
    return lease.permits(segment, readFrom.table().segmentEpoch(segment))
        ? reply
        : OperationReply.without(reply.sequence(), Outcome.STALE, readFrom.table().epoch());
  }

  /** Reads a key without any message; see {@link Lanes#readHere}. */
  @Nullable OperationReply readHere(String cacheName, int format, byte[] key, boolean wantValue) {
    LocalReplicas now = caches.local();
    if (now == null) {
      return null;
    }
    long hash = now.space().hash(key);
    int segment = now.space().segment(hash);
    CacheSegments cache = caches.find(cacheName);
    if (!now.owns(segment) || (cache != null && !cache.cache().admits(format))) {
      return null;
    }
    OperationReply reply = find(now, cacheName, segment, hash, key, wantValue, 0);
    return reply.outcome() == Outcome.DONE ? reply : null;
  }

  /** A caller, perhaps this node, wants many values; it asks for what is not told another way. */
  void bulkRead(NodeId from, BulkRead message) {
    LocalReplicas now = caches.local();
    if (now == null) {
      transport.send(from, BulkReadReply.none(message, -1));
      return;
    }
    BulkReads many = new BulkReads(now, caches.find(message.cache()), message);
    BulkReadReply reply = many.answer();
    if (many.unknown()) {
      caches.admit(message.cache()); // its lanes ask the other owners whether it is empty
    }
    if (many.outdated()) {
      host.outdated(from, message.epoch());
    }
    boolean counts = lease.permits(now.table(), many.segments());
    transport.send(from, counts ? reply : BulkReadReply.none(message, now.table().epoch()));
  }

  /**
   * Looks a key up in a segment that the node holds.
   *
   * @param cache null if nothing of the cache was ever here, so that it is empty
   * @param hash the key's hash
   */
  private static OperationReply lookUp(
      LocalReplicas local,
      @Nullable CacheSegments cache,
      int segment,
      long hash,
      byte[] key,
      boolean wantValue,
      long sequence) {
    long epoch = local.table().epoch();
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
        entry.expiryMillis(),
        epoch);
  }
}
