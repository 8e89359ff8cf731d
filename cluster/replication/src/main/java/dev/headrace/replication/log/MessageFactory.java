package dev.headrace.replication.log;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.BeginCopy;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.replication.message.InSync;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.PastOwners;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Replicated;
import dev.headrace.replication.message.Settled;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.SegmentReader;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes a lane's messages: all begin with the segment and the epochs. Guarded by the lane. */
public final class MessageFactory {
  private static final byte[] NO_ENTRIES = {};

  private final LaneCache cache;
  private final int segment;
  private final SegmentHistory history;
  private final List<PastOwners> pastOwners;
  private @Nullable SegmentTable table;

  /**
   * @param table null before the first
   * @param pastOwners the owners before those of the table, latest first
   */
  public MessageFactory(
      LaneCache cache,
      int segment,
      SegmentHistory history,
      @Nullable SegmentTable table,
      List<PastOwners> pastOwners) {
    this.pastOwners = pastOwners;
    this.cache = cache;
    this.segment = segment;
    this.history = history;
    this.table = table;
  }

  /** The table has changed, but not the owners of this segment. */
  public void renew(SegmentTable newer) {
    table = newer;
  }

  public SegmentTable table() {
    SegmentTable present = table;
    if (present == null) {
      throw new IllegalStateException("segment " + segment + " has an event before any table");
    }
    return present;
  }

  public SegmentHistory history() {
    return history;
  }

  /** The same about a history that begins at nothing. */
  public MessageFactory anew() {
    return new MessageFactory(cache, segment, history.successor(), table, pastOwners);
  }

  public LaneCache cache() {
    return cache;
  }

  public int segment() {
    return segment;
  }

  private long term() {
    return table().segmentEpoch(segment);
  }

  public Replicate replicate(Mutation mutation) {
    return new Replicate(
        cache.name(),
        cache.format(),
        segment,
        table().epoch(),
        term(),
        history.stableSequence(),
        mutation);
  }

  public Replicated replicated(boolean inSync, boolean missing) {
    return new Replicated(
        cache.name(), segment, table().epoch(), term(), history.appliedSequence(), inSync, missing);
  }

  public Settled settled(long copyNumber) {
    return new Settled(
        cache.name(), segment, table().epoch(), term(), history.stableSequence(), copyNumber);
  }

  public InSync inSync(long copyNumber) {
    return new InSync(cache.name(), segment, table().epoch(), term(), copyNumber);
  }

  public HistoryRequest historyRequest() {
    return new HistoryRequest(
        cache.name(),
        segment,
        table().epoch(),
        term(),
        history.appliedSequence(),
        history.standing().beganUnder());
  }

  public History history(long afterSequence) {
    return new History(
        cache.name(),
        cache.format(),
        segment,
        table().epoch(),
        term(),
        history.appliedSequence(),
        history.appliedTerm(),
        history.servedTerm(),
        history.standing(),
        history.inSync() ? List.of() : pastOwners,
        history.recent().term(afterSequence),
        history.after(afterSequence));
  }

  /**
   * The order to begin a copy as of the last mutation.
   *
   * @param mostBytes entries go along if they take so many bytes at most
   */
  public BeginCopy beginCopy(long copyNumber, int mostBytes) {
    return new BeginCopy(
        cache.name(),
        cache.format(),
        segment,
        table().epoch(),
        term(),
        copyNumber,
        history.appliedSequence(),
        history.appliedTerm(),
        history.standing().beganUnder(),
        entries(mostBytes),
        history.windows());
  }

  /** All entries of the replica, or null if they take more bytes, or cannot be read. */
  private byte @Nullable [] entries(int mostBytes) {
    Replica replica = history.replica();
    long bytes = replica.bytes();
    if (bytes == 0) {
      return NO_ENTRIES;
    }
    if (bytes > mostBytes || table().header().protocol() < BeginCopy.CARRYING_PROTOCOL) {
      return null;
    }
    ByteBuffer all = ByteBuffer.allocate((int) bytes);
    new SegmentReader()
        .read(replica, Cursor.START, Integer.MAX_VALUE, all.capacity(), Projection.REPLICA, all);
    return all.hasRemaining() ? null : all.array();
  }

  public Learned learned(
      long copyNumber, boolean begun, long bytes, boolean complete, boolean missing) {
    return new Learned(
        cache.name(),
        segment,
        table().epoch(),
        term(),
        copyNumber,
        history.appliedSequence(),
        begun,
        bytes,
        complete,
        missing);
  }
}
