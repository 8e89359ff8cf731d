/**
 * The segment store: one node's entries of one cache, as encoded bytes in hash order.
 *
 * <p><b>Purpose.</b> A {@link dev.headrace.stream.store.SegmentStore} holds the replicas of the
 * segments that this node owns. The one operation that streams, migrations and repairs share is
 * <i>read a segment from a cursor up to a budget</i>, see {@link
 * dev.headrace.stream.store.SegmentReader}.
 *
 * <p><b>Shape.</b> A segment is an open-addressing table of longs and a list of pages. A slot is
 * {@code tag << 32 | ref}: the tag is the leading half of the entry's position, the ref says where
 * the entry's bytes begin. The home slot of a tag is {@code tag × capacity >>> 32} and clusters are
 * kept sorted by (position, encoded key), so that the table as a whole lies in hash order: a
 * look-up is a short probe, a scan is a walk, and a cursor is found by arithmetic. The table never
 * wraps; overflow slots follow its end. Pages are byte arrays to which entries are only ever
 * appended, in the layout of {@link dev.headrace.stream.entry.EntryLayout}, which is the wire's
 * layout too.
 *
 * <p><b>Rewrite.</b> Growth and compaction are the same thing: the segment gets a second generation
 * (table and pages), and entries are copied into it in hash order, a bounded number with every
 * mutation. A boundary separates the tags that live in the new generation from those that still
 * live in the old one.
 *
 * <p><b>Threading.</b> The mutations of a segment run one after the other (its lane); the store
 * checks this but does not bring it about. Readers may be any threads: they copy without a lock,
 * then validate, and take a read lock for one bounded chunk after repeated failures.
 *
 * <p><b>Invariants.</b> In a generation every slot lies at or behind its home, no slot between them
 * is empty, and the used slots ascend by (position, key). An entry's bytes are changed after its
 * slot has been published only under the write lock, and only as a whole. Expired entries are
 * hidden from readers but stay until they are removed, so that every replica holds the same bytes.
 */
@NullMarked
package dev.headrace.stream.store;

import org.jspecify.annotations.NullMarked;
