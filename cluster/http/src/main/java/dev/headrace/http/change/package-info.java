/**
 * What changes in a cache, over HTTP: {@code /v1/caches/{name}/changes}, as server-sent events.
 *
 * <p>{@link dev.headrace.http.change.ChangesRoute} is the entrance.
 *
 * <p><b>Threading.</b> A {@link dev.headrace.http.change.ChangesBody} writes on the threads of its
 * stream of changes, one at a time; the connection's event loop wakes it, and sends the comments of
 * a quiet stream.
 *
 * <p><b>Invariants.</b> A piece of a body ends where an event does. What waits for a reader that
 * does not read is bounded as for an export.
 */
@NullMarked
package dev.headrace.http.change;

import org.jspecify.annotations.NullMarked;
