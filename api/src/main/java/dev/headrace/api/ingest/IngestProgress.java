package dev.headrace.api.ingest;

import java.util.List;

/**
 * How far a load is.
 *
 * @param received records that the source has sent
 * @param written entries that were written and acknowledged by all owners
 * @param present entries that were not written since their keys were there ({@link
 *     CacheSink#ifAbsent})
 * @param conflated records that were replaced by another one of their key before they left
 * @param failed records that were not written, or of which it is not known
 * @param retried how often an entry was sent again
 * @param writtenBytes encoded keys and values of what was written
 * @param heldBytes encoded keys and values, with what the sink needs to know of them, that were
 *     received and have not ended
 * @param nodes what was sent to each node, in no order
 */
public record IngestProgress(
    long received,
    long written,
    long present,
    long conflated,
    long failed,
    long retried,
    long writtenBytes,
    long heldBytes,
    List<NodeIngest> nodes) {

  /** Nothing was received. */
  public static final IngestProgress NONE = new IngestProgress(0, 0, 0, 0, 0, 0, 0, 0, List.of());

  /** Copies the list. */
  public IngestProgress {
    nodes = List.copyOf(nodes);
  }

  /** How many records have ended, one way or another. */
  public long ended() {
    return written + present + conflated + failed;
  }
}
