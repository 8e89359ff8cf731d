package dev.headrace.cluster.call;

import dev.headrace.replication.lane.LaneHost;
import dev.headrace.replication.log.EntryDecision;
import dev.headrace.replication.log.ProcessorRun;
import dev.headrace.stream.NodeId;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A host of lanes that does nothing, and to whom nothing bad may happen. */
public final class QuietLaneHost implements LaneHost {

  @Override
  public void requestFirstWrite() {}

  @Override
  public boolean isBusy() {
    return false;
  }

  @Override
  public void lost(int segment, long segmentEpoch) {
    throw new AssertionError("segment " + segment + " is lost");
  }

  @Override
  public void giveBack(int segment, long segmentEpoch, NodeId keeper) {
    throw new AssertionError("segment " + segment + " is wanted back by " + keeper);
  }

  @Override
  public void noRoom(NodeId destination, int segment, long bytes) {}

  @Override
  public void damaged(String cache, int segment, String reason) {
    throw new AssertionError(reason);
  }

  @Override
  public void process(ProcessorRun run, Consumer<@Nullable EntryDecision> decided) {
    throw new AssertionError("nothing runs " + run);
  }

  @Override
  public void outdated(NodeId node, long itsEpoch) {}

  @Override
  public void behind(NodeId node) {}

  @Override
  public void accompany(NodeId node) {}
}
