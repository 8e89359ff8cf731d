/**
 * HTTP/1.1 on sockets; the only user of Netty besides the wire.
 *
 * <p>{@link dev.headrace.http.server.HttpPort} listens. Each connection has an {@link
 * dev.headrace.http.server.HttpConnection}, which reads one request, lets its route answer, sends
 * the reply and only then reads on.
 *
 * <p><b>Threading.</b> A connection belongs to one event loop. Replies may be made on any thread.
 *
 * <p><b>Invariants.</b> What a client can make a node hold is bounded: the connections, the bytes
 * of a line, of all headers and of a body, the bytes of all bodies together, and what waits for
 * readers that do not read, for one and for all. Every state of a connection has an end in time.
 */
@NullMarked
package dev.headrace.http.server;

import org.jspecify.annotations.NullMarked;
