/**
 * What a node is to a segment: its primary, a backup, or a former owner that is still needed.
 *
 * <p><b>Shape.</b> A {@link dev.headrace.rebalance.write.role.Primary} takes office by its {@link
 * dev.headrace.rebalance.write.role.Roll}, decides operations in its {@link
 * dev.headrace.rebalance.write.role.Counter}, and waits for its {@link
 * dev.headrace.rebalance.write.role.Follower}s before it acknowledges.
 *
 * <p><b>Threading.</b> Guarded by the lane, but for {@link
 * dev.headrace.rebalance.write.role.FormerOwners}, which all lanes of a node share.
 *
 * <p><b>Invariants.</b> A primary serves only when it has everything that was acknowledged before,
 * and when no former owner can answer readers any more. A former owner keeps what it has until
 * every present one has everything.
 */
@NullMarked
package dev.headrace.rebalance.write.role;

import org.jspecify.annotations.NullMarked;
