/**
 * What a lane writes down: the numbered history of one segment of one cache, and what it says of it
 * to others.
 *
 * <p><b>Shape.</b> A {@link dev.headrace.replication.log.SegmentHistory} is the replica with its
 * latest mutations and the results of operations; {@link
 * dev.headrace.replication.log.MessageFactory} puts it into messages, and a {@link
 * dev.headrace.replication.log.Effects} gathers these until the lane's monitor is free.
 *
 * <p><b>Threading.</b> Guarded by the lane, but for {@link dev.headrace.replication.log.LaneCache},
 * which is thread-safe.
 *
 * <p><b>Invariants.</b> Numbers have no gaps; what is applied was recorded with its result.
 */
@NullMarked
package dev.headrace.replication.log;

import org.jspecify.annotations.NullMarked;
