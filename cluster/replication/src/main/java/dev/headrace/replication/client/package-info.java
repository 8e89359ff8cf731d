/**
 * The caller's side of the write protocol: how a node gets an operation done, by whichever node can
 * do it.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.replication.client.OperationClient} sends an operation to
 * an owner and sends it again, under the same number, until it is answered or its time is up. Many
 * keys are routed by {@link dev.headrace.replication.client.KeyRoutes}; a bulk read asks a node for
 * them once, and whoever asked gets what is not answered done by operations. Of many writes {@link
 * dev.headrace.replication.client.WriteGroups} makes an operation for each segment.
 *
 * <p><b>Threading.</b> Any number of threads submit; replies, tables, lost connections and ticks
 * may come on others. No lock is held while something is sent or a completion is called.
 *
 * <p><b>Invariants.</b> A completion is called exactly once. A sequence stays outstanding until its
 * operation ends.
 */
@NullMarked
package dev.headrace.replication.client;

import org.jspecify.annotations.NullMarked;
