/**
 * What the segment store of one node costs: reads, writes, scans and memory.
 *
 * <p>One million entries with keys of 10 characters and values of 100 bytes in 256 segments, on one
 * thread, beside a {@code ConcurrentHashMap<String, byte[]>} that holds the same encoded values and
 * runs the same codecs. A scan copies every entry into a reused direct buffer of 256 KiB, of the
 * store as it was loaded (keys arrive in random order) and after it has been compacted; the map's
 * scan encodes its entries into the same buffer.
 *
 * <p>Memory is what the heap holds after a collection with the entries, less what it held without
 * them, less the bytes of keys and values; the store's own account of its arrays is noted beside
 * it.
 *
 * <p>Threading: {@link dev.headrace.benchmarks.store.StoreComparison} measures nothing itself and
 * runs on one thread; see {@link dev.headrace.benchmarks.harness}.
 */
@NullMarked
package dev.headrace.benchmarks.store;

import org.jspecify.annotations.NullMarked;
