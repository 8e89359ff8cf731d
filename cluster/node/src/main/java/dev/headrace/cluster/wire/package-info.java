/**
 * The wire: what nodes send each other over TCP, apart from the membership protocol.
 *
 * <p><b>Purpose.</b> Each ordered pair of nodes has two classes of connections, which the sender
 * opens on demand: one connection for operations and replication, one or more for bulk reads.
 * {@link dev.headrace.cluster.wire.WireTransport} is the entrance.
 *
 * <p><b>Frames.</b> Everything is a {@link dev.headrace.cluster.wire.connection.Frame}: a header of
 * 24 bytes with two CRC32C checksums, one of the header and one of the body, so that no length is
 * used before it was checked. The first frame of a connection is a {@link
 * dev.headrace.cluster.wire.connection.Handshake}. A bad frame closes its connection and has no
 * other effect.
 *
 * <p><b>Threading.</b> A node has few event loops. They frame, check and copy bytes, and never run
 * user code or codecs. A buffer has one owner at a time.
 *
 * <p><b>Invariants.</b> A connection keeps the order of its messages. A message is lost only
 * together with its connection, and that loss is announced. Every queue is bounded. A read is
 * answered exactly once.
 */
@NullMarked
package dev.headrace.cluster.wire;

import org.jspecify.annotations.NullMarked;
