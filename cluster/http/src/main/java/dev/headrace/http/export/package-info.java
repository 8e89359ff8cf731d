/**
 * The content of a cache as one response: {@code GET /v1/caches/{name}/entries}.
 *
 * <p>{@link dev.headrace.http.export.ExportRoute} reads the request; an {@link
 * dev.headrace.http.export.ExportBody} is subscribed to the cache's stream and writes each entry by
 * an {@link dev.headrace.http.export.ElementWriter} into pieces, which a {@link
 * dev.headrace.http.export.Compression} may make smaller.
 *
 * <p><b>Threading.</b> Entries are written one at a time: on the connection's event loop, in turns
 * with its other connections, or, where the response is compressed or entries are passed over, on
 * the node's threads.
 *
 * <p><b>Invariants.</b> The socket's pace is the stream's: at most {@link
 * dev.headrace.http.export.ExportBody#HELD_BYTES} wait for a reader that has stood still for half a
 * second, unless a single entry is larger. A response that ends as HTTP wants it is whole, up to
 * its limit; one that cannot be is broken off.
 */
@NullMarked
package dev.headrace.http.export;

import org.jspecify.annotations.NullMarked;
