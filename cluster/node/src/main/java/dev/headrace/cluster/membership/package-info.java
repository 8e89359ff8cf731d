/**
 * Membership: which nodes form the cluster, found, watched and told apart by JGroups.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.cluster.membership.Membership} delivers views (the living
 * nodes, the coordinator first) and carries control messages. Views propose; what follows from one
 * is decided by the agreement. Bulk goes over the wire and never through here.
 *
 * <p><b>Threading.</b> A listener is called by one thread of its membership, one call after the
 * other, and what has to be in order with these calls runs there too; JGroups' own threads only
 * enqueue. Sending never blocks.
 *
 * <p><b>Invariants.</b> A node's identity is drawn anew by each start. A message is delivered only
 * under a view that names its sender, in the order of sending, once. One TCP port per node is
 * bound, on the configured address alone. A connection is closed when its peer has left, or when a
 * newcomer gets no answer over it; none is open that {@link
 * dev.headrace.cluster.membership.Connections} does not know. Nothing outside this package knows
 * JGroups.
 */
@NullMarked
package dev.headrace.cluster.membership;

import org.jspecify.annotations.NullMarked;
