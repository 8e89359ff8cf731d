package dev.headrace.api.ingest;

/**
 * What a sink has sent to a node. It is the node that owned the segments when entries were put into
 * a batch; what was sent again may have gone to another one.
 *
 * @param node the node's name
 * @param batches batches that have left
 * @param entries entries in them
 * @param bytes encoded keys and values in them
 * @param fill the mean share of {@code batchBytes} that they had, 1 for full ones; 0 without any
 * @param lingerNanos the mean time that the first entry of a batch waited until the batch left
 * @param answerNanos the mean time from when a batch has left to its last acknowledgement
 * @param retried how often entries of these batches were sent again
 * @param waitingBatches batches that are open, or wait until the node has room
 * @param inFlightBytes encoded keys and values in batches that have left and have not ended
 */
public record NodeIngest(
    String node,
    long batches,
    long entries,
    long bytes,
    double fill,
    long lingerNanos,
    long answerNanos,
    long retried,
    int waitingBatches,
    long inFlightBytes) {}
