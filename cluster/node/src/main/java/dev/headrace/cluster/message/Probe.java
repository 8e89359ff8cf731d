package dev.headrace.cluster.message;

/**
 * Asks whether a node can be reached by the way that operations take, and back.
 *
 * @param number of the question
 * @param answer whether this is the answer to it
 */
public record Probe(long number, boolean answer) implements NodeMessage {}
