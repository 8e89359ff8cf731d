package dev.headrace.stream.change;

import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import org.jspecify.annotations.Nullable;

/**
 * Something of one segment that can be handed over.
 *
 * @param node who sent it
 * @param bytes an answer's bytes, of which {@code from} to {@code to} are the chunk's
 * @param next of changes and entries: the number of the change that follows them
 * @param term the term of the mutation before that; -1 if it is not known
 * @param cursor of changes: only those of keys up to here count, or all if null; of entries: where
 *     they end, or null for the end of the segment; of a replacement: up to where the content was
 *     handed over, or null if all of it was
 */
@SuppressWarnings("ArrayRecordComponent") // Handed over, never compared.
record Chunk(
    SegmentFeed feed,
    NodeId node,
    What what,
    byte[] bytes,
    int from,
    int to,
    long next,
    long term,
    @Nullable Cursor cursor) {

  enum What {
    CHANGES,
    ENTRIES,
    REPLACEMENT
  }
}
