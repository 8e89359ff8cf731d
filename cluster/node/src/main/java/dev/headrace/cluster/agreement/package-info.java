/**
 * This node's part in the agreement on segment tables: it takes events to the agreement, and
 * carries out on this node what that decides.
 *
 * <p>{@link dev.headrace.cluster.agreement.AgreementDriver} runs the agreement and sends its
 * messages, each with the time of {@link dev.headrace.cluster.agreement.ClusterClock}. {@link
 * dev.headrace.cluster.agreement.Rebalancing} gives it moves to decide on while this node is the
 * coordinator. {@link dev.headrace.cluster.agreement.Admission} and {@link
 * dev.headrace.cluster.agreement.Readiness} say what it means for this node: whether it has joined,
 * and whether it may serve now.
 *
 * <p>Threading: the agreement and the rebalancer run on the control executor, one event at a time.
 * What other threads call is thread-safe, or hands over to it.
 *
 * <p>Invariants: what an event decides for this node is carried out in order, after the messages of
 * that event were handed over.
 */
@NullMarked
package dev.headrace.cluster.agreement;

import org.jspecify.annotations.NullMarked;
