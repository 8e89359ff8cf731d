/**
 * Loading a cache from a stream: what {@code Cache.sink} is made of.
 *
 * <p>{@link dev.headrace.cluster.ingest.SinkPlan} is the builder. It makes a {@code SinkRun} for
 * each subscription, which encodes what the source sends, and drives the machine of package {@code
 * batch}. Writes go through {@link dev.headrace.cluster.cache.CallPort} as single operations, each
 * with an operation id of its own; those of one node leave in one message.
 *
 * <p><b>Threading.</b> One loop, on one thread at a time, runs the machine and asks the source; it
 * is the source's own thread while that sends, else one of the sink's executor. Threads of the
 * network and the timer only count up and schedule it.
 *
 * <p><b>Invariants.</b> No two writes of one key are under way at the same time, so that they
 * happen in the order of the source whatever is sent again. What is held is bounded by the sink's
 * memory, if entries are as large as those before. Every record that was received ends once.
 */
@NullMarked
package dev.headrace.cluster.ingest;

import org.jspecify.annotations.NullMarked;
