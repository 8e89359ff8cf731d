/**
 * Connections of the membership port: what may come in over them, and what goes out without
 * blocking.
 *
 * <p>{@link dev.headrace.cluster.membership.connection.Connections} is JGroups' transport. It
 * passes a frame on when {@link dev.headrace.cluster.membership.connection.FrameFilter} has
 * accepted it, and gives each peer a sender of its own.
 *
 * <p>Threading: a thread per connection reads, and one per peer connects and writes; sending never
 * blocks.
 *
 * <p>Invariants: JGroups parses no frame that the filter has not accepted, and no length is
 * believed that exceeds the bytes that have arrived.
 */
@NullMarked
package dev.headrace.cluster.membership.connection;

import org.jspecify.annotations.NullMarked;
