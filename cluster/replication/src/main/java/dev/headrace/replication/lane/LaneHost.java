package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.Notices;
import dev.headrace.replication.log.EntryDecision;
import dev.headrace.replication.log.ProcessorRun;
import dev.headrace.stream.NodeId;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What lanes need from the node beside its transport. Called from any thread, without a lock. */
public interface LaneHost extends Notices {

  /** A write has come to a cluster that holds nothing yet: its owners must be made final first. */
  void requestFirstWrite();

  /**
   * None of a segment's owners has all that was acknowledged, and nobody else is left who could: it
   * has to begin anew. Told again and again until it does.
   *
   * @param segmentEpoch the epoch at which its owners last changed
   */
  void lost(int segment, long segmentEpoch);

  /**
   * This node is the primary of a segment that it cannot complete its copy of: somebody who has
   * everything has to be the primary instead. Told again and again until it is.
   *
   * @param segmentEpoch the epoch at which the segment's owners last changed
   * @param keeper who has everything
   */
  void giveBack(int segment, long segmentEpoch, NodeId keeper);

  /**
   * Whether callers and streams ask this node for something right now, so that copies should leave
   * them room. What a caller finds in its own node's store does not count.
   */
  boolean isBusy();

  /**
   * A segment should be copied to a node that has no room for it; the copy waits. Told again once a
   * minute as long as it does.
   *
   * @param bytes of the segment's entries
   */
  void noRoom(NodeId destination, int segment, long bytes);

  /**
   * A replica has lost its history and does not serve any more; it should be copied again.
   *
   * @param reason for people
   */
  void damaged(String cache, int segment, String reason);

  /**
   * Runs a processor on an entry, on a thread that writes do not wait for.
   *
   * @param decided is called once, perhaps before this returns: with what the processor has
   *     decided, or with null if there is no thread for it now
   */
  void process(ProcessorRun run, Consumer<@Nullable EntryDecision> decided);

  /**
   * Runs what looks for answers to readers of changes, in order, on a thread that writes do not
   * wait for. Unless a node has one, at once.
   */
  default void answerAside(Runnable task) {
    task.run();
  }
}
