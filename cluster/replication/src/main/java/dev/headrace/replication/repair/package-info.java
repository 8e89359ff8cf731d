/**
 * Comparing the replicas of a segment and repairing what differs, from the primary.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.replication.repair.Repairs} is the entrance: it goes
 * through the segments of which this node is primary, evenly spread over an interval, and carries
 * out what is asked for on demand, here and on other nodes.
 *
 * <p><b>Shape.</b> A {@link dev.headrace.replication.repair.SegmentRepair} goes through one segment
 * of one cache along the cursor. It hashes a few ranges of positions in the segment's lane, and
 * asks the backups whether they have the same behind the same mutation. Ranges that differ are
 * narrowed until little is left, and what the primary has there is sent to replace them. A {@link
 * dev.headrace.replication.repair.repair pool} has a bounded number of segments in work, an {@link
 * dev.headrace.replication.repair.RepairJob} is an order that came from some node, an {@link
 * dev.headrace.replication.repair.ClusterRepair} is the order as that node sees it.
 *
 * <p><b>Threading.</b> A segment's repair runs in its lane; what is between the segments is guarded
 * by the monitor of the class that holds it, which is never held while a lane runs or something is
 * sent. Nothing here has a thread or a clock: ticks bring the time.
 *
 * <p><b>Invariants.</b> The primary's replica is never changed. A backup is changed only while it
 * is behind exactly the mutation that the replacement contains: if both replicas are sound, that
 * changes nothing, so a repair can neither bring anything back nor lose anything. A step holds a
 * lane for a bounded number of entries and bytes, or for one larger entry.
 */
@NullMarked
package dev.headrace.replication.repair;

import org.jspecify.annotations.NullMarked;
