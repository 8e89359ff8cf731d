/**
 * Connections and frames: how bytes get from one node to another, whatever their meaning.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.cluster.wire.connection.Link} sends, {@link
 * dev.headrace.cluster.wire.connection.ConnectionAcceptor} accepts, {@link
 * dev.headrace.cluster.wire.connection.FrameReader} cuts what arrives into frames.
 *
 * <p><b>Threading.</b> A channel belongs to its event loop. Any thread may use a link's queue,
 * under the link's lock, which is not held while writing. Two methods of {@link
 * dev.headrace.cluster.wire.connection.LinkUse} are called under that lock, {@code sending} and
 * {@code lost}, so that sends and losses are reported in one order; they only take notes.
 *
 * <p><b>Invariants.</b> At most one thread writes to a connection at a time. Nothing is used before
 * its checksum was compared. When a frame is lost, so is every later one of its connection.
 */
@NullMarked
package dev.headrace.cluster.wire.connection;

import org.jspecify.annotations.NullMarked;
