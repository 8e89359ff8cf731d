package dev.headrace.replication.log;

import dev.headrace.replication.message.OperationId;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One run of a lane: the time at which it takes place, and what the lane wants done when its
 * monitor is free again. Used by one thread.
 */
public final class Effects {
  private static final int USUAL_MESSAGES = 3;

  private final long nowNanos;
  private NodeId @Nullable [] receivers;
  private Message @Nullable [] messages;
  private int size;
  private boolean firstWriteWanted;
  private @Nullable NodeId outdated;
  private long outdatedEpoch;
  private @Nullable NodeId ahead;
  private @Nullable String damage;
  private long lostEpoch = -1;
  private boolean otherCachesWoken;
  private @Nullable NodeId keeper;
  private long keptEpoch;
  private @Nullable RangeRequest range;
  private List<ProcessorRun> processorRuns = List.of();

  public Effects(long nowNanos) {
    this.nowNanos = nowNanos;
  }

  public long nowNanos() {
    return nowNanos;
  }

  public void send(NodeId to, Message message) {
    NodeId[] to0 = receivers;
    Message[] messages0 = messages;
    if (to0 == null || messages0 == null) {
      to0 = new NodeId[USUAL_MESSAGES];
      messages0 = new Message[USUAL_MESSAGES];
    } else if (size == to0.length) {
      to0 = Arrays.copyOf(to0, size * 2);
      messages0 = Arrays.copyOf(messages0, size * 2);
    }
    to0[size] = to;
    messages0[size++] = message;
    receivers = to0;
    messages = messages0;
  }

  public void refuse(OperationId id, OperationReply.Outcome outcome, long epoch) {
    send(id.caller(), OperationReply.refused(id, outcome, epoch));
  }

  /** The cluster must know that it holds data before anything is written. */
  public void requestFirstWrite() {
    firstWriteWanted = true;
  }

  /** The lanes of the segment's other caches may have waited for this one. */
  public void wakeOtherCaches() {
    otherCachesWoken = true;
  }

  public boolean otherCachesWoken() {
    return otherCachesWoken;
  }

  /** A node acted on an older table. */
  public void outdated(NodeId node, long itsEpoch) {
    outdated = node;
    outdatedEpoch = itsEpoch;
  }

  /** A node acted on a table that is not known here. */
  public void behind(NodeId node) {
    ahead = node;
  }

  /** A learner reads a range. */
  public void read(RangeRequest wanted) {
    range = wanted;
  }

  /** A processor is to run on an entry. */
  public void process(ProcessorRun wanted) {
    if (processorRuns.isEmpty()) {
      processorRuns = new ArrayList<>(1);
    }
    processorRuns.add(wanted);
  }

  /** The replica has lost its history and does not serve any more. */
  public void damaged(String reason) {
    damage = reason;
  }

  /**
   * Nobody has all that was acknowledged of the segment any more.
   *
   * @param segmentEpoch the epoch at which its owners last changed
   */
  public void lost(long segmentEpoch) {
    lostEpoch = segmentEpoch;
  }

  /**
   * Somebody else has everything and has to be the primary; this lane's copy cannot be completed.
   *
   * @param segmentEpoch the epoch at which the segment's owners last changed
   */
  public void giveBack(NodeId to, long segmentEpoch) {
    keeper = to;
    keptEpoch = segmentEpoch;
  }

  public int size() {
    return size;
  }

  public NodeId receiver(int index) {
    return Objects.requireNonNull(receivers)[index];
  }

  public Message message(int index) {
    return Objects.requireNonNull(messages)[index];
  }

  public boolean firstWriteWanted() {
    return firstWriteWanted;
  }

  public @Nullable NodeId outdated() {
    return outdated;
  }

  public long outdatedEpoch() {
    return outdatedEpoch;
  }

  public @Nullable NodeId ahead() {
    return ahead;
  }

  /** The epoch at which the owners of a segment last changed that is lost; -1 if none is. */
  public long lostEpoch() {
    return lostEpoch;
  }

  /** Who has to be the primary, if it is somebody else. */
  public @Nullable NodeId keeper() {
    return keeper;
  }

  /** The epoch at which the owners of a segment last changed that is to be given back. */
  public long keptEpoch() {
    return keptEpoch;
  }

  /** The range to be read, or null. */
  public @Nullable RangeRequest range() {
    return range;
  }

  /** The processors that are to run. */
  public List<ProcessorRun> processorRuns() {
    return processorRuns;
  }

  public @Nullable String damage() {
    return damage;
  }
}
