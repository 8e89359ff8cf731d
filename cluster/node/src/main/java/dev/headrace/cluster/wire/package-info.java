/**
 * The wire: what nodes send each other outside of the membership protocol, over TCP.
 *
 * <p><b>Purpose.</b> Two classes of connections between each ordered pair of nodes, opened on
 * demand by the one that has something to say: one for operations and replication, one or more for
 * bulk reads. {@link dev.headrace.cluster.wire.WireTransport} is the entrance.
 *
 * <p><b>Frames.</b> Everything is a {@link dev.headrace.cluster.wire.connection.Frame}: a header of
 * 24 bytes with two CRC32C checksums, one of itself and one of the body, so that no length is
 * believed before it was checked. The first frame of a connection is a {@link
 * dev.headrace.cluster.wire.connection.Handshake}. A bad frame closes its connection and nothing
 * else.
 *
 * <p><b>Threading.</b> Few event loops per node. They frame, check and copy bytes; user code and
 * codecs never run there. A buffer has one owner at a time.
 *
 * <p><b>Invariants.</b> Order is kept on one connection; a message is lost only together with its
 * connection, which is then announced; every queue is bounded; a read is answered exactly once.
 */
@NullMarked
package dev.headrace.cluster.wire;

import org.jspecify.annotations.NullMarked;
