/**
 * Writing a stream of entries into a cache at the pace that the cluster can take: the builder
 * ({@link dev.headrace.api.ingest.CacheSink}), the subscriber that it makes ({@link
 * dev.headrace.api.ingest.SinkSubscriber}), what it tells ({@link
 * dev.headrace.api.ingest.IngestReport}), and the choice of a segment for values without a key
 * ({@link dev.headrace.api.ingest.Partitioner}).
 *
 * <p><b>Threading.</b> Builders, reports and progress are immutable. A partitioner is used by one
 * sink and by one thread at a time.
 */
@NullMarked
package dev.headrace.api.ingest;

import org.jspecify.annotations.NullMarked;
