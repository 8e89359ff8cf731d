/**
 * Loading a cache over HTTP: {@code POST /v1/caches/{name}/entries}.
 *
 * <p>{@link dev.headrace.http.load.LoadRoute} is the entrance. A {@link
 * dev.headrace.http.load.LoadIntake} cuts the body into records while it arrives, and hands them to
 * a sink of the cache as the sink asks for them: the socket is read no faster than the cluster
 * writes.
 *
 * <p><b>Threading.</b> An intake works where a piece arrives or the sink asks for more, on one
 * thread at a time.
 *
 * <p><b>Invariants.</b> A load holds one piece of the body, one record, and what its sink may hold.
 * Its report names a bounded number of failed records.
 */
@NullMarked
package dev.headrace.http.load;

import org.jspecify.annotations.NullMarked;
