/**
 * The protocol of one stream, as a machine: (event, now) to effects.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.stream.protocol.StreamMachine} is the entrance. It decides
 * what is asked of whom ({@code ReadPlanner}), how much of it ({@code CreditShares}, {@code
 * Credit}), what has been received and handed over ({@code Progress}), and what a loss means.
 *
 * <p><b>Threading.</b> The machine has no threads, no clock and no network. It belongs to the drain
 * of its stream; only a {@link dev.headrace.stream.protocol.PendingRead} is touched by others, who
 * bring the answer.
 *
 * <p><b>Invariants.</b> What is buffered or in flight never exceeds the stream's batch size, nor
 * its byte budget but for an entry that travels alone; a resume token stands at the end of a
 * consumed batch; a segment is never handed over in two incarnations.
 */
@NullMarked
package dev.headrace.stream.protocol;

import org.jspecify.annotations.NullMarked;
