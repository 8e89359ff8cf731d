/**
 * The pull engine: turns a consumer's demand into requests to nodes and their batches into entries.
 *
 * <p><b>Purpose.</b> A subscription or an iterator of {@link dev.headrace.stream.publisher} pulls a
 * {@link dev.headrace.stream.pull.PullEngine}. It decodes batches and drives a {@link
 * dev.headrace.stream.protocol.StreamMachine}, which decides what is asked of whom.
 *
 * <p><b>Threading.</b> The machine and the engine run in the subscription's drain, on one thread at
 * a time: the thread that calls the iterator, or a thread of the stream's executor. Other threads
 * touch only a {@code PendingRead}, a queue for one answer, since a node has one request in flight,
 * and the drain's count of signals. Cancelling only sets a flag and schedules the drain.
 *
 * <p><b>Invariants.</b>
 *
 * <ul>
 *   <li>What is buffered or in flight for a stream never exceeds its batch size, nor its byte
 *       budget unless a large entry travels alone.
 *   <li>The end of a stream follows all batches that were received. A segment's completion follows
 *       its last entry.
 *   <li>Each batch is released exactly once, even if it arrives while the stream is cancelled.
 *   <li>A resume token is a place between batches.
 * </ul>
 */
@NullMarked
package dev.headrace.stream.pull;

import org.jspecify.annotations.NullMarked;
