/**
 * Failure detection over the wire, for what the membership protocol cannot notice.
 *
 * <p>{@link dev.headrace.cluster.detection.Reach} finds nodes that this one does not hear, {@link
 * dev.headrace.cluster.detection.Endings} nodes whose process has ended. Both report; the agreement
 * decides. {@link dev.headrace.cluster.detection.StaleConnections} closes the connections to nodes
 * that have left the table or come back into the view.
 *
 * <p>Threading: the first two are thread-safe, the last is used on the control executor. No lock is
 * held while they report or send.
 *
 * <p>Invariants: silence is never taken for an end.
 */
@NullMarked
package dev.headrace.cluster.detection;

import org.jspecify.annotations.NullMarked;
