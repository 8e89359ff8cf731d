package dev.headrace.cluster.node;

import dev.headrace.api.NodeSettings;
import dev.headrace.api.SplitPolicy;
import dev.headrace.api.error.PlacementException;
import dev.headrace.rebalance.agreement.AgreementSettings;
import dev.headrace.rebalance.agreement.ClusterTerms;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.placement.segment.Placements;
import dev.headrace.rebalance.table.Member;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.repair.RepairSettings;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.store.StoreLimits;
import java.util.List;

/** Derives the settings of a node's machines from the node's. */
final class MachineSettings {
  /** The most that lengths, version and expiry add to a stored entry. */
  private static final int ENTRY_NUMBERS_BYTES = 40;

  private MachineSettings() {}

  static StoreLimits ofStore(NodeSettings settings) {
    return new StoreLimits(settings.maxEntryBytes() + ENTRY_NUMBERS_BYTES);
  }

  static LaneSettings ofLanes(NodeSettings settings, NodeId self) {
    boolean leases = settings.splitPolicy() == SplitPolicy.DENY;
    return LaneSettings.of(self, settings.minOwners())
        .withLeaseWaitNanos(leases ? 2 * AgreementSettings.LEASE_NANOS : 0)
        .withChanges(
            settings.retainedChanges().bytes(), settings.retainedChanges().previousValues());
  }

  static AgreementSettings ofAgreement(NodeSettings settings, Member member, NodeTuning tuning) {
    ClusterTerms terms =
        new ClusterTerms(
            settings.clusterName(),
            settings.segments(),
            settings.owners(),
            settings.maxEntryBytes(),
            settings.placement().name(),
            settings.lostSegments(),
            settings.hashSeed());
    return AgreementSettings.of(member, terms, settings.splitPolicy())
        .movingSegments()
        .publishingImages(tuning.fullTables());
  }

  /**
   * The placement of segments. It is tried with this node alone, to report at once what can never
   * work.
   *
   * @throws PlacementException if the attempt fails
   */
  static Placement placement(NodeSettings settings, Member self) {
    Placement placement = Placements.of(settings.placement());
    var unused = placement.place(settings.segments(), settings.owners(), List.of(self));
    return placement;
  }

  static RepairSettings ofRepairs(NodeSettings settings, NodeId self) {
    return RepairSettings.of(
        self, settings.repairInterval().toMillis(), settings.repairBytesPerSecond());
  }
}
