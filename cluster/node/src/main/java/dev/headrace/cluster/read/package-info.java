/**
 * How a node answers requests for batches, whoever asks.
 *
 * <p><b>Purpose.</b> A {@link dev.headrace.cluster.read.ReadService} puts its answer into a {@link
 * dev.headrace.cluster.read.ReadReply}. The wire has one that leaves over a connection; {@link
 * dev.headrace.cluster.read.LocalReads} has one for this node's own streams, which passes no frame,
 * no codec and no other thread.
 *
 * <p><b>Threading.</b> A local read is answered on the thread that asks, before it returns.
 *
 * <p><b>Invariants.</b> A request is answered exactly once. Entries are copied once, from the store
 * into a buffer of {@link dev.headrace.cluster.read.BatchBuffers}, which has one owner at a time.
 */
@NullMarked
package dev.headrace.cluster.read;

import org.jspecify.annotations.NullMarked;
