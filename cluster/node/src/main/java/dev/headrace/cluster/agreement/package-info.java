/**
 * This node's part in the agreement on segment tables: it carries decisions to the agreement, and
 * the agreement's effects to the node.
 *
 * <p>{@link dev.headrace.cluster.agreement.AgreementDriver} runs the agreement on the control
 * executor and sends its messages, each with the time of {@link
 * dev.headrace.cluster.agreement.ClusterClock}. {@link dev.headrace.cluster.agreement.Rebalancing}
 * gives it moves to decide on while this node is the coordinator. {@link
 * dev.headrace.cluster.agreement.Admission} and {@link dev.headrace.cluster.agreement.Readiness}
 * say what it means for this node: whether it has joined, and whether it may serve now.
 *
 * <p>Threading: events come in order on the control executor; the state that others read is
 * thread-safe.
 *
 * <p>Invariants: effects are carried out in the order in which the agreement asks for them, and
 * only after its messages have been sent.
 */
@NullMarked
package dev.headrace.cluster.agreement;

import org.jspecify.annotations.NullMarked;
