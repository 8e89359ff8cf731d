/**
 * Membership: which nodes form the cluster. JGroups finds them and watches them.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.cluster.membership.Membership} delivers views (the living
 * nodes, the coordinator first) and carries control messages. A view is only a proposal: the
 * agreement decides what follows from it. Operations and batches go over the wire, never through
 * this package.
 *
 * <p><b>Threading.</b> One thread of the membership calls the listener, and runs the tasks that
 * must be in order with these calls. JGroups' own threads only enqueue. Sending never blocks.
 *
 * <p><b>Invariants.</b> Each start draws a new identity for the node. A message is delivered once,
 * in the order of sending, and only while the view contains its sender. A node binds one TCP port,
 * on the configured address alone. A connection is closed when its peer has left, or when a
 * newcomer gets no answer over it; {@link dev.headrace.cluster.membership.connection.Connections}
 * knows every open one. Only this package and those below it use JGroups.
 */
@NullMarked
package dev.headrace.cluster.membership;

import org.jspecify.annotations.NullMarked;
