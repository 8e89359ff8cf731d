/**
 * Copying a segment to a node while it is written to: the primary's side, {@link
 * dev.headrace.replication.copy.LaneCopies}, and the learner's, {@link
 * dev.headrace.replication.copy.Learner}.
 *
 * <p><b>Threading.</b> Guarded by the lane, but for {@link
 * dev.headrace.replication.copy.RunningCopies}, which all lanes of a node share.
 *
 * <p><b>Invariants.</b> At any time a learner holds the beginning of the hash order as of one
 * mutation. Nothing that was sent is kept for a repetition: it is read again at the cursor that the
 * learner has confirmed.
 */
@NullMarked
package dev.headrace.replication.copy;

import org.jspecify.annotations.NullMarked;
