/**
 * What an entry is, and where it lies.
 *
 * <p><b>Purpose.</b> What the store, the wire and streams have in common: an entry's bytes ({@link
 * dev.headrace.stream.entry.EntryLayout}, the same in memory and on the wire), the order of all
 * entries ({@link dev.headrace.stream.entry.HashSpace}) and a place in that order ({@link
 * dev.headrace.stream.entry.Cursor}).
 *
 * <p><b>Threading.</b> Values and static functions, for any thread. An {@link
 * dev.headrace.stream.entry.EntryView} is a reusable window for one thread.
 *
 * <p><b>Invariants.</b> A key's place follows from its hash alone: hash times segments gives the
 * segment in the high word and the position in the low one, and both grow with the hash.
 */
@NullMarked
package dev.headrace.stream.entry;

import org.jspecify.annotations.NullMarked;
