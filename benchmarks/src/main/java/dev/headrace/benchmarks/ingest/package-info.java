/**
 * Loading from a stream: how long records without keys take by each partitioner, in the conditions
 * of KIP-480 and KIP-794, what they cost, and how fast entries are loaded beside peers. Its
 * entrance is {@link dev.headrace.benchmarks.ingest.IngestComparison}.
 *
 * <p><b>Threading.</b> Single-threaded, but for the callbacks of clusters.
 */
@NullMarked
package dev.headrace.benchmarks.ingest;

import org.jspecify.annotations.NullMarked;
