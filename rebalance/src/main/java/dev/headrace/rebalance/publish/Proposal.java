package dev.headrace.rebalance.publish;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import org.jspecify.annotations.Nullable;

/** A change of the table that somebody wants; see {@code TableAgreement.propose}. */
public interface Proposal {
  /**
   * Makes the change, on the table that is the newest when its turn comes.
   *
   * @param newest the newest table that the coordinator has stored; perhaps not in force yet
   * @param nextEpoch the epoch of the table that the change leads to
   * @return a delta from {@code newest} to {@code nextEpoch}, or null if the change no longer makes
   *     sense
   */
  @Nullable TableDelta on(SegmentTable newest, long nextEpoch);
}
