package dev.headrace.micrometer;

import dev.headrace.api.ClusterStatus;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A figure that the status of a node tells.
 *
 * @param name its name in the registry; ends with its unit unless it is a count
 * @param text what it means
 * @param value takes it from a status
 */
record StatusFigure(String name, String text, ToDoubleFunction<ClusterStatus> value) {

  /** All of them. */
  static final List<StatusFigure> ALL =
      List.of(
          new StatusFigure(
              "headrace.cluster.epoch.number", "Number of the segment table", ClusterStatus::epoch),
          new StatusFigure(
              "headrace.cluster.members", "Members", status -> status.members().size()),
          new StatusFigure("headrace.cluster.segments", "Segments", ClusterStatus::segments),
          new StatusFigure(
              "headrace.cluster.segments.lost",
              "Segments that have lost content",
              status -> status.lostSegments().size()),
          new StatusFigure(
              "headrace.cluster.replicas.missing",
              "Replicas that no node owns, though there are nodes for them",
              ClusterStatus::missingReplicas),
          new StatusFigure(
              "headrace.cluster.replicas.out.of.sync",
              "Replicas of owners that are not in sync",
              status ->
                  status.members().stream()
                      .mapToInt(ClusterStatus.Member::outOfSyncReplicas)
                      .sum()),
          new StatusFigure(
              "headrace.cluster.suspended",
              "1 if this node's part must not go on",
              status -> status.suspendedBecause() == null ? 0 : 1),
          new StatusFigure(
              "headrace.clock.error.seconds",
              "Bound of the error of cluster time",
              status -> status.clockError().toNanos() / 1e9),
          own("headrace.node.segments.primary", "Primary segments", self -> self.primarySegments()),
          own("headrace.node.segments.backup", "Backup segments", self -> self.backupSegments()),
          own(
              "headrace.node.buffers.bytes",
              "Direct memory of buffers",
              self -> self.bufferBytes()),
          own("headrace.node.changes.bytes", "Retained changes", self -> self.changeBytes()),
          own("headrace.node.memory.used.bytes", "Heap of entries", self -> memory(self, true)),
          own(
              "headrace.node.memory.limit.bytes",
              "Limit of that heap",
              self -> memory(self, false)),
          new StatusFigure(
              "headrace.node.streams",
              "Streams that have begun and not ended",
              status -> status.streamMemory().streams()),
          new StatusFigure(
              "headrace.node.streams.waiting",
              "Streams that wait for memory",
              status -> status.streamMemory().waiting()),
          new StatusFigure(
              "headrace.node.streams.credit.bytes",
              "Bytes that streams hold or were promised",
              status -> status.streamMemory().usedBytes()),
          new StatusFigure(
              "headrace.node.streams.budget.bytes",
              "The most of these",
              status -> status.streamMemory().budgetBytes()),
          rebalance("headrace.rebalance.planned", "Copies planned", r -> r.plannedCopies()),
          rebalance("headrace.rebalance.copied", "Copies in force", r -> r.copies()),
          rebalance("headrace.rebalance.copying", "Copies under way", r -> r.copying()),
          rebalance("headrace.rebalance.bytes", "Bytes copied", r -> r.bytes()),
          rebalance(
              "headrace.rebalance.remaining.seconds",
              "Time that it still takes",
              r -> r.remaining().toMillis() / 1e3));

  private static double memory(ClusterStatus.Member self, boolean used) {
    ClusterStatus.Memory memory = self.memory();
    return memory == null ? 0 : used ? memory.usedBytes() : memory.limitBytes();
  }

  private static StatusFigure own(
      String name, String text, ToDoubleFunction<ClusterStatus.Member> figure) {
    return new StatusFigure(
        name,
        text,
        status ->
            status.members().stream()
                .filter(ClusterStatus.Member::self)
                .mapToDouble(figure)
                .findFirst()
                .orElse(0));
  }

  private static StatusFigure rebalance(
      String name, String text, ToDoubleFunction<ClusterStatus.Rebalance> figure) {
    return new StatusFigure(
        name,
        text,
        status -> {
          ClusterStatus.Rebalance rebalance = status.rebalance();
          return rebalance == null ? 0 : figure.applyAsDouble(rebalance);
        });
  }
}
