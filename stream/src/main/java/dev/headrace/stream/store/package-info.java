/**
 * The segment store: one node's entries of one cache, as encoded bytes in hash order.
 *
 * <p><b>Purpose.</b> A {@link dev.headrace.stream.store.SegmentStore} holds the replicas of the
 * segments that this node owns. Streams, migrations and repairs share one operation: <i>read a
 * segment from a cursor up to a budget</i> ({@link dev.headrace.stream.store.SegmentReader}).
 *
 * <p><b>Shape.</b> A segment is an open-addressing table of longs and a list of pages. A slot is
 * {@code tag << 32 | ref}: the tag is the leading half of the entry's position, the ref says where
 * the entry's bytes begin. The home slot of a tag is {@code tag × capacity >>> 32} and clusters are
 * kept sorted by (position, encoded key), so the whole table lies in hash order. A look-up is a
 * short probe, a scan is a walk, and the slot behind a cursor is found by arithmetic. The table
 * does not wrap; overflow slots follow its end. Pages are byte arrays to which entries are only
 * appended, in the form of {@link dev.headrace.stream.entry.EntryLayout}, which is also the form on
 * the wire.
 *
 * <p><b>Rewrite.</b> Growth and compaction are the same operation: the segment gets a second
 * generation (table and pages), and each mutation copies a bounded number of entries into it, in
 * hash order. A boundary divides the tags that live in the new generation from those that still
 * live in the old one. The essay in {@code Segment} explains it.
 *
 * <p><b>Threading.</b> The mutations of a segment run one after the other, in its lane; the store
 * detects a violation but does not serialize them. Any thread may read: it copies without a lock,
 * then validates, and after repeated failures takes a read lock for one bounded chunk.
 *
 * <p><b>Invariants.</b> In a generation each slot lies at or behind its home, no slot in between is
 * empty, and the used slots ascend by (position, key). Once its slot is published, an entry's bytes
 * change only under the write lock, and only as a whole. Expired entries are hidden from readers
 * but stay until they are removed, so all replicas hold the same bytes.
 */
@NullMarked
package dev.headrace.stream.store;

import org.jspecify.annotations.NullMarked;
