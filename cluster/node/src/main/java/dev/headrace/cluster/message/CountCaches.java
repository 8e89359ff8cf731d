package dev.headrace.cluster.message;

/**
 * Asks a node for the caches that it knows and how much it holds of each. {@link CacheCounts} is
 * the answer.
 *
 * @param number identifies the answer
 * @param after only names above this one, by {@link String#compareTo}, are asked for; empty for all
 */
public record CountCaches(long number, String after) implements NodeMessage {}
