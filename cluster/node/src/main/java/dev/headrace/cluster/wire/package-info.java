/**
 * The wire: what nodes send each other over TCP, apart from the membership protocol.
 *
 * <p><b>Purpose.</b> There are two classes of connections, which are opened on demand: for
 * operations and replication, and for bulk reads. Of each class a node has as many to another one
 * as it has loops for it. A segment's share of the messages has one of them. Both nodes send their
 * messages over the one that the first of them has opened; bulk reads are asked for only by the
 * node that has opened the connection. {@link dev.headrace.cluster.wire.WireTransport} is the
 * entrance.
 *
 * <p><b>Frames.</b> Everything is a {@link dev.headrace.cluster.wire.connection.Frame}: a header of
 * 24 bytes with two CRC32C checksums, one of the header and one of the body, so that no length is
 * used before it was checked. The first frame of a connection is a {@link
 * dev.headrace.cluster.wire.connection.Handshake}. A bad frame closes its connection and has no
 * other effect.
 *
 * <p><b>Threading.</b> A node has few event loops, and a share of the connections has the same one
 * for all other nodes and both directions. They frame, check and copy bytes, and never run user
 * code or codecs. A buffer has one owner at a time.
 *
 * <p><b>Invariants.</b> A connection keeps the order of its messages. A message is lost only
 * together with its connection, and that loss is announced. Every queue is bounded. A read is
 * answered exactly once.
 */
@NullMarked
package dev.headrace.cluster.wire;

import org.jspecify.annotations.NullMarked;
