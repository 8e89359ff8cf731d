/**
 * Connections of the membership port: what may come in over them, and what goes out without
 * blocking.
 *
 * <p>{@link dev.headrace.cluster.membership.connection.Connections} is JGroups' transport. It
 * passes a frame on when {@link dev.headrace.cluster.membership.connection.FrameFilter} has
 * accepted it, and gives each peer a {@link dev.headrace.cluster.membership.connection.PeerSender}.
 *
 * <p>Threading: a thread per connection reads, and one writes; sending never blocks.
 *
 * <p>Invariants: JGroups parses nothing that the filter has not seen, and no length is believed
 * that exceeds the bytes that have arrived.
 */
@NullMarked
package dev.headrace.cluster.membership.connection;

import org.jspecify.annotations.NullMarked;
