package dev.headrace.cluster.message;

/**
 * Asks a node which caches it knows, and how much it holds of each; {@link CacheCounts} answer.
 *
 * @param number recognises the answer
 * @param after names up to this one, in the order of {@link String#compareTo}, are not asked for;
 *     empty for none
 */
public record CountCaches(long number, String after) implements NodeMessage {}
