package dev.headrace.replication.role;

import dev.headrace.replication.copy.RunningCopies;
import dev.headrace.replication.log.ChangeRetention;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.ResultMemory;

/**
 * What all lanes of a node share.
 *
 * @param settings their bounds
 * @param lease whether this node may answer
 * @param runningCopies what this node copies as a source
 * @param formerOwners who owned segments before
 * @param results counts what this node keeps for callers
 * @param changes counts what this node retains for readers of changes
 * @param memory whether owners have room for what is to be written
 * @param recoveries whether all caches of a segment can be served
 */
public record LaneContext(
    LaneSettings settings,
    LeaseCheck lease,
    RunningCopies runningCopies,
    FormerOwners formerOwners,
    ResultMemory results,
    ChangeRetention changes,
    MemoryGate memory,
    Recoveries recoveries) {}
