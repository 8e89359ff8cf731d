package dev.headrace.benchmarks.iteration;

/**
 * The shape of the content that is walked.
 *
 * @param count number of entries
 * @param valueBytes length of each value
 */
record EntrySet(int count, int valueBytes) {}
