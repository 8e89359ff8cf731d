package dev.headrace.cluster.message;

/**
 * Checks that messages reach a node over the wire, and come back.
 *
 * @param number the question's number
 * @param answer whether this is the answer to it
 */
public record Probe(long number, boolean answer) implements NodeMessage {}
