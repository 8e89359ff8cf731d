package dev.headrace.stream.change;

import dev.headrace.stream.pull.StreamEnvironment;

/**
 * What streams of changes need of their node. For any thread.
 *
 * @param node what all streams need
 * @param port asks nodes for changes
 * @param readers knows which streams there are
 */
public record ChangeEnvironment(StreamEnvironment node, ChangePort port, ChangeReaders readers) {}
