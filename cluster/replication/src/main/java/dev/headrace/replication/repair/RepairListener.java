package dev.headrace.replication.repair;

import dev.headrace.replication.message.RepairStats;

/** Is told what repairs have found. Called from any thread, without a lock. */
@FunctionalInterface
public interface RepairListener {
  /** Backups had a segment of a cache otherwise than their primary, this node. */
  void differed(String cache, int segment, RepairStats stats);
}
