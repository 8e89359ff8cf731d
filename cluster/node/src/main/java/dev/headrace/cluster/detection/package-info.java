/**
 * Failure detection over the wire, for what the membership protocol cannot notice.
 *
 * <p>{@link dev.headrace.cluster.detection.Reach} finds nodes that this one does not hear, {@link
 * dev.headrace.cluster.detection.Endings} nodes whose process has ended, and {@link
 * dev.headrace.cluster.detection.StaleConnections} connections to nodes that are members no more.
 * They report; the agreement decides.
 *
 * <p>Threading: all are thread-safe. No lock is held while they report or send.
 *
 * <p>Invariants: silence is never taken for an end.
 */
@NullMarked
package dev.headrace.cluster.detection;

import org.jspecify.annotations.NullMarked;
