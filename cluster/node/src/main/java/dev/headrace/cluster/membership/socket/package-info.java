/**
 * Sockets of the membership port: what two nodes prove to each other before JGroups sees the
 * connection.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.cluster.membership.socket.PeerSockets} makes the sockets
 * that JGroups uses. JGroups gets a connection once both sides know each other.
 *
 * <p><b>Threading.</b> An accepted connection has a thread of its own until its peer is known, so
 * that it holds up no other one. Opening one blocks for at most about twice the time-out of
 * connecting.
 *
 * <p><b>Invariants.</b> The number of connections whose peers are not known is bounded, and so is
 * their time. The oldest of them makes room for the next, so that many strangers cannot keep a node
 * out.
 */
@NullMarked
package dev.headrace.cluster.membership.socket;

import org.jspecify.annotations.NullMarked;
