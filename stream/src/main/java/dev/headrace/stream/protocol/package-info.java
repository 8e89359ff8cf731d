/**
 * The protocol of one stream as a machine: (event, now) → effects.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.stream.protocol.StreamMachine} is the entrance. It decides
 * which node is asked for which segment ({@code ReadPlanner}) and for how much ({@code
 * CreditShares}, {@code Credit}), records what has been received and handed over ({@code
 * Progress}), and decides what a loss means.
 *
 * <p><b>Threading.</b> The machine has no threads, no clock and no network. It belongs to the drain
 * of its stream. Other threads touch only a {@link dev.headrace.stream.protocol.PendingRead}, to
 * which they bring the answer.
 *
 * <p><b>Invariants.</b> What is buffered or in flight never exceeds the stream's batch size, nor
 * its byte budget unless a large entry travels alone. A resume token is a place between batches. A
 * stream never mixes two incarnations of a segment.
 */
@NullMarked
package dev.headrace.stream.protocol;

import org.jspecify.annotations.NullMarked;
