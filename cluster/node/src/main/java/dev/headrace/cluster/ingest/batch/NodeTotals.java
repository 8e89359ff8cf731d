package dev.headrace.cluster.ingest.batch;

import dev.headrace.api.ingest.NodeIngest;

/**
 * What was sent to a node, in sums that only grow but for the last two, so that those of several
 * sinks can be added up.
 *
 * @param node the node's name
 * @param batches batches that have left
 * @param entries entries in them
 * @param bytes encoded keys and values in them
 * @param fill the shares of {@code batchBytes} that they had, 1 for a full one
 * @param lingerNanos how long the first entry of each waited until the batch left
 * @param answered batches of which all is acknowledged or has failed
 * @param answerNanos how long that took for each
 * @param retried how often entries were sent again
 * @param waitingBatches batches that are open, or wait until the node has room
 * @param inFlightBytes encoded keys and values in batches that have left and have not ended
 */
public record NodeTotals(
    String node,
    long batches,
    long entries,
    long bytes,
    double fill,
    long lingerNanos,
    long answered,
    long answerNanos,
    long retried,
    int waitingBatches,
    long inFlightBytes) {

  /** The sums of both, under the name of this one. */
  public NodeTotals plus(NodeTotals other) {
    return new NodeTotals(
        node,
        batches + other.batches,
        entries + other.entries,
        bytes + other.bytes,
        fill + other.fill,
        lingerNanos + other.lingerNanos,
        answered + other.answered,
        answerNanos + other.answerNanos,
        retried + other.retried,
        waitingBatches + other.waitingBatches,
        inFlightBytes + other.inFlightBytes);
  }

  /** The same under another name. */
  public NodeTotals named(String name) {
    return new NodeTotals(
        name,
        batches,
        entries,
        bytes,
        fill,
        lingerNanos,
        answered,
        answerNanos,
        retried,
        waitingBatches,
        inFlightBytes);
  }

  /** The same as means. */
  public NodeIngest means() {
    return new NodeIngest(
        node,
        batches,
        entries,
        bytes,
        batches == 0 ? 0 : fill / batches,
        batches == 0 ? 0 : lingerNanos / batches,
        answered == 0 ? 0 : answerNanos / answered,
        retried,
        waitingBatches,
        inFlightBytes);
  }
}
