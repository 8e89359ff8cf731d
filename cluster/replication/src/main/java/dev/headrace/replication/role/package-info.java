/**
 * What a node is to a segment, its {@link dev.headrace.replication.role.Role}: primary, backup,
 * learner, a former owner that is still needed, or nothing.
 *
 * <p><b>Shape.</b> A {@link dev.headrace.replication.role.Primary} becomes primary in two steps: in
 * the {@link dev.headrace.replication.role.HistoryRecovery} it hears everybody in its {@link
 * dev.headrace.replication.role.RecoverySet}, in the {@link dev.headrace.replication.role.CatchUp}
 * the others get what they lack. Then it decides operations at its {@link
 * dev.headrace.replication.role.OperationProcessor}, and its {@link
 * dev.headrace.replication.role.Replicator} brings the mutations to its {@link
 * dev.headrace.replication.role.ReplicaProgress}s, for whom it waits before it acknowledges.
 *
 * <p><b>Threading.</b> Guarded by the lane, but for {@link
 * dev.headrace.replication.role.FormerOwners} and {@link dev.headrace.replication.role.LeaseCheck},
 * which all lanes of a node share.
 *
 * <p><b>Invariants.</b> A primary serves only when it has everything that was acknowledged before,
 * and when no former owner can answer readers any more. A former owner keeps what it has until
 * every present one has everything.
 */
@NullMarked
package dev.headrace.replication.role;

import org.jspecify.annotations.NullMarked;
