package dev.headrace.cluster.service;

import dev.headrace.cluster.agreement.AgreementDriver;
import dev.headrace.cluster.status.CurrentTable;
import dev.headrace.cluster.status.OperatorWarnings;
import dev.headrace.cluster.status.Statuses;
import dev.headrace.rebalance.publish.TableGossip;
import dev.headrace.replication.lane.LaneHost;
import dev.headrace.replication.log.EntryDecision;
import dev.headrace.replication.log.ProcessorRun;
import dev.headrace.stream.NodeId;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes requests of a node's lanes to the agreement and to other nodes, and their warnings to the
 * log. Thread-safe.
 */
public final class NodeLaneHost implements LaneHost {
  private final AgreementDriver agreement;
  private final TableGossip gossip;
  private final Foreground foreground;
  private final CurrentTable table;
  private final Executor changes;
  private final ServedProcessors processors;

  /**
   * @param changes looks for answers to readers of changes
   * @param processors runs processors on entries
   */
  public NodeLaneHost(
      AgreementDriver agreement,
      TableGossip gossip,
      Foreground foreground,
      CurrentTable table,
      Executor changes,
      ServedProcessors processors) {
    this.agreement = agreement;
    this.gossip = gossip;
    this.foreground = foreground;
    this.table = table;
    this.changes = changes;
    this.processors = processors;
  }

  @Override
  public void requestFirstWrite() {
    agreement.requestFirstWrite();
  }

  @Override
  public void lost(int segment, long segmentEpoch) {
    agreement.lost(segment, segmentEpoch);
  }

  @Override
  public void giveBack(int segment, long segmentEpoch, NodeId keeper) {
    agreement.giveBack(segment, segmentEpoch, keeper);
  }

  @Override
  public boolean isBusy() {
    return foreground.isBusy();
  }

  @Override
  public void noRoom(NodeId destination, int segment, long bytes) {
    OperatorWarnings.noRoom(Statuses.name(destination, table.orNull()), segment, bytes);
  }

  @Override
  public void damaged(String cache, int segment, String reason) {
    OperatorWarnings.damaged(cache, segment, reason);
  }

  @Override
  public void outdated(NodeId node, long itsEpoch) {
    gossip.outdated(node, itsEpoch);
  }

  @Override
  public void behind(NodeId node) {
    gossip.behind(node);
  }

  @Override
  public void accompany(NodeId node) {
    gossip.accompany(node);
  }

  @Override
  public void answerAside(Runnable task) {
    changes.execute(task);
  }

  @Override
  public void process(ProcessorRun run, Consumer<@Nullable EntryDecision> decided) {
    processors.process(run, decided);
  }
}
