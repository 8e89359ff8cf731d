/**
 * What a user composes before anything runs: a stream's conditions, operators and settings, and
 * reductions of it.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.stream.plan.StreamPlan} is the entrance: each setting
 * gives another plan, and a subscription or a terminal method starts a stream. {@code
 * PlannedReductions} adds up partial results, one of each answer: in a {@code ReductionRun} on the
 * stream's executor, or on the thread that calls {@code get}.
 *
 * <p><b>Threading.</b> Plans are immutable and can be shared.
 *
 * <p><b>Invariants.</b> The same plan may run often; each run is a stream of its own. Each entry is
 * in one partial result that counts.
 */
@NullMarked
package dev.headrace.stream.plan;

import org.jspecify.annotations.NullMarked;
