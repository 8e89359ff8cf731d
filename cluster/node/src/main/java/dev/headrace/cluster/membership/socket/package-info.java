/**
 * Sockets of the membership port: what two nodes prove to each other before JGroups sees the
 * connection.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.cluster.membership.socket.PeerSockets} makes the sockets
 * that JGroups uses. Whoever opens one, or accepts one, gets it when both sides know each other.
 *
 * <p><b>Threading.</b> An accepted connection has a thread of its own until its peer is known; it
 * holds up nobody else. Opening one blocks, for the time-out of connecting and about as long again.
 *
 * <p><b>Invariants.</b> The number of connections whose peers are not known, and their time, are
 * bounded; the oldest makes room for the next, so that a crowd of strangers keeps no node out.
 */
@NullMarked
package dev.headrace.cluster.membership.socket;

import org.jspecify.annotations.NullMarked;
