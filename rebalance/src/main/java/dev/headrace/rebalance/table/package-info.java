/**
 * The segment table: which nodes own which segment, as an immutable image with an epoch, and the
 * deltas that lead from one image to the next.
 *
 * <p>{@link dev.headrace.rebalance.table.SegmentTable} is the image. {@link
 * dev.headrace.rebalance.table.TableEdit} collects changes and makes a {@link
 * dev.headrace.rebalance.table.TableDelta} of them, which every member applies to the table it has:
 * the new image shares with the old whatever did not change. Image and delta have binary forms of a
 * few bits or bytes per replica that changes. A stamp over the content is kept up to date with
 * every change; stamps of ranges find where two tables of one epoch differ, and a {@link
 * dev.headrace.rebalance.table.TableSlice} carries the rows that repair it. Images, deltas and
 * slices may be used from any thread, an edit by one at a time.
 *
 * <p>Binary forms are written to and read from big-endian buffers. To know the length of a table's,
 * a delta's or a slice's, it has to be made. A {@code decode} throws {@link
 * dev.headrace.api.error.WireException} if the bytes are not such a form, and has allocated nothing
 * out of proportion to the bytes that are there by then.
 *
 * <p>Invariants of a table: an owner is a member, occurs once in its segment and has a capacity; a
 * segment's epoch is never greater than the table's; a written table's segment without owners has
 * lost them, and its incarnation counts how often. A member keeps its ordinal while it is one; a
 * vacated ordinal is given to another only when the edit is told that everybody has passed the
 * removal. Tables of equal content have equal stamps, whatever way led to them.
 */
@NullMarked
package dev.headrace.rebalance.table;

import org.jspecify.annotations.NullMarked;
