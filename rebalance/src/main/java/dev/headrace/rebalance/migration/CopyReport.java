package dev.headrace.rebalance.migration;

/**
 * How a copy stands, as its primary tells.
 *
 * @param migration its name
 * @param segment the segment
 * @param ready whether all destinations have everything but the very last mutations, and keep up;
 *     if not, the copy has failed
 * @param copiedBytes the bytes of entries that the destinations have taken, all together
 */
public record CopyReport(long migration, int segment, boolean ready, long copiedBytes) {}
