package dev.headrace.replication.lane;

import dev.headrace.replication.log.EntryDecision;
import dev.headrace.replication.log.ProcessorRun;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.ReadPort;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A host to whom nothing may happen but tables, which its node gets in any case. */
public class CalmHost implements LaneHost {

  /** For nodes that are not copied to. */
  public static final ReadPort NO_READS =
      (node, request, handler) -> {
        throw new AssertionError("nothing is read from " + node);
      };

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
  public void noRoom(NodeId destination, int segment, long bytes) {
    throw new AssertionError(destination + " has no room for segment " + segment);
  }

  @Override
  public void damaged(String cache, int segment, String reason) {
    throw new AssertionError(cache + "/" + segment + ": " + reason);
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
