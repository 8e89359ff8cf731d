package dev.headrace.cluster.message;

/**
 * The answer to {@link ForgetCache}.
 *
 * @param number that of the question
 * @param forgotten false if the node holds entries of the cache
 */
public record CacheForgotten(long number, boolean forgotten) implements NodeMessage {}
