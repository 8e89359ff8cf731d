/**
 * How a node answers requests for batches, its own and those of other nodes.
 *
 * <p><b>Purpose.</b> A {@link dev.headrace.cluster.read.ReadService} puts its answer into a {@link
 * dev.headrace.cluster.read.ReadReply}. The wire has a reply that is sent over a connection; {@link
 * dev.headrace.cluster.read.LocalReads} has one for this node's own streams, without a frame, a
 * codec or another thread.
 *
 * <p><b>Threading.</b> A local read is answered on the calling thread, before the call returns.
 *
 * <p><b>Invariants.</b> A request is answered exactly once. Entries are copied once, from the store
 * into a buffer of {@link dev.headrace.cluster.read.BatchBuffers}, which has one owner at a time.
 */
@NullMarked
package dev.headrace.cluster.read;

import org.jspecify.annotations.NullMarked;
