/**
 * What nodes say to each other about the operations of caches: the vocabulary of the write
 * protocol.
 *
 * <p><b>Purpose.</b> One record per message; the cluster's wire encodes them, {@code
 * dev.headrace.replication.lane} understands them, and {@code dev.headrace.replication.repair}
 * those of repairs.
 *
 * <p><b>Invariants.</b> Every message that depends on ownership carries the sender's {@code epoch}
 * and the {@code segmentEpoch}, the epoch at which the segment's owners last changed there. It is
 * accepted if {@code message.segmentEpoch <= my.epoch} and {@code my.segmentEpoch <=
 * message.epoch}; then both sides mean the same owners. The segment epoch is also the <i>term</i>
 * of the segment's primary: one epoch names one primary for a segment.
 *
 * <p><b>Threading.</b> Messages are immutable; their byte arrays belong to whoever receives them
 * and are never changed after a message was made.
 */
@NullMarked
package dev.headrace.replication.message;

import org.jspecify.annotations.NullMarked;
