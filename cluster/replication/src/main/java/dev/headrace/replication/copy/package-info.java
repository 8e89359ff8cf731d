/**
 * The primary's side of copying a segment to a node while it is written to: {@link
 * dev.headrace.replication.copy.LaneCopies}. The other side is {@link
 * dev.headrace.replication.role.Learner}.
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
