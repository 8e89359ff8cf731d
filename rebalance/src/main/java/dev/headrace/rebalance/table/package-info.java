/**
 * The segment table: which nodes own which segment, as an immutable image with an epoch.
 *
 * <p>{@link dev.headrace.rebalance.table.SegmentTable} is the image. It is only ever replaced as a
 * whole, by one with a greater epoch; everything here may be used from any thread. Its counterpart,
 * the delta from one epoch's table to the next, and the stamp over its content belong into this
 * package too; until they exist tables travel whole.
 *
 * <p>Invariants of a table: an owner is a member, occurs once in its segment and has a capacity; a
 * segment's epoch is never greater than the table's; a segment without owners has lost them, and
 * its incarnation counts how often.
 */
@NullMarked
package dev.headrace.rebalance.table;

import org.jspecify.annotations.NullMarked;
