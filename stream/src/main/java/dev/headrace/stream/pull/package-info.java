/**
 * The pull engine: turns a consumer's demand into requests to nodes and their batches into entries.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.stream.pull.StreamPlan} is the entrance. From there to
 * {@code onNext}, forwards: {@code EntryPublisher} makes a {@code StreamSubscription} (the drain
 * loop) or a {@code StreamIterator}; either pulls a {@code PullEngine}, which decodes batches and
 * drives a {@link dev.headrace.stream.protocol.StreamMachine}, which decides what is asked of whom.
 *
 * <p><b>Threading.</b> The machine and the engine run inside the drain, which one thread at a time
 * runs: the thread that calls the iterator, or one of the stream's executor. The only thing that
 * other threads touch is a {@code PendingRead}, one per request and the end of a queue that never
 * holds more than one batch, because a node has one request in flight; and the drain's counter of
 * missed signals. Cancelling only flags and schedules the drain.
 *
 * <p><b>Invariants.</b>
 *
 * <ul>
 *   <li>What is buffered or in flight for a stream never exceeds its batch size, nor its byte
 *       budget but for an entry that travels alone.
 *   <li>An end, good or bad, follows every batch that was received; a segment's completion follows
 *       its last entry.
 *   <li>Every batch is released exactly once, whoever wins the race of its arrival with a cancel.
 *   <li>A resume token stands at the end of a consumed batch.
 * </ul>
 */
@NullMarked
package dev.headrace.stream.pull;

import org.jspecify.annotations.NullMarked;
