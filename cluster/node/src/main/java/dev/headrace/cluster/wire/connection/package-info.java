/**
 * Connections and frames: how bytes get from one node to another, whatever they mean.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.cluster.wire.connection.Link} sends, {@link
 * dev.headrace.cluster.wire.connection.ConnectionAcceptor} accepts, {@link
 * dev.headrace.cluster.wire.connection.FrameReader} cuts what arrives into frames.
 *
 * <p><b>Threading.</b> A channel belongs to its event loop. Only a link's queue is used by any
 * thread, under the link's lock, which is not held while writing. Two methods of a {@link
 * dev.headrace.cluster.wire.connection.LinkUse}, {@code sending} and {@code lost}, are called under
 * it, so that what was sent and what was lost are told in one order; they only note it.
 *
 * <p><b>Invariants.</b> At most one thread writes to a connection at a time; nothing is believed
 * before its checksum was compared; what is lost is lost together with everything behind it.
 */
@NullMarked
package dev.headrace.cluster.wire.connection;

import org.jspecify.annotations.NullMarked;
