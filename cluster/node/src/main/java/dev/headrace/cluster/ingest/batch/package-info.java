/**
 * How writes are gathered into batches and when these leave: {@link
 * dev.headrace.cluster.ingest.batch.IngestMachine}, and how much a source is asked for: {@link
 * dev.headrace.cluster.ingest.batch.DemandWindow}.
 *
 * <p><b>Threading.</b> Pure machines, used by one thread at a time. Other threads only tell a write
 * how it has ended.
 *
 * <p><b>Invariants.</b> A write is in one batch at most, and no two writes of one key have left and
 * not ended at the same time.
 */
@NullMarked
package dev.headrace.cluster.ingest.batch;

import org.jspecify.annotations.NullMarked;
