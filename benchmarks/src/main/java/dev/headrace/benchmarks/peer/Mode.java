package dev.headrace.benchmarks.peer;

/**
 * A way to walk over a whole cache.
 *
 * @param name names it in commands and results
 * @param exactlyOnce whether every entry arrives exactly once although nodes join and leave
 * @param batched whether a batch size can be chosen
 */
public record Mode(String name, boolean exactlyOnce, boolean batched) {}
