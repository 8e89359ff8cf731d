/**
 * What a user composes before anything runs: a stream's conditions, operators and settings, and
 * reductions of it.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.stream.plan.StreamPlan} is the entrance: each method gives
 * another plan, and a subscription or a terminal method starts a stream. {@code PlannedReductions}
 * makes a {@code ReductionRun}, which combines one partial result per segment.
 *
 * <p><b>Threading.</b> Plans are immutable and can be shared. A run's partial results arrive on the
 * stream's executor.
 *
 * <p><b>Invariants.</b> The same plan may run often, and its runs share nothing. A segment's
 * partial result counts once, whoever computed it.
 */
@NullMarked
package dev.headrace.stream.plan;

import org.jspecify.annotations.NullMarked;
