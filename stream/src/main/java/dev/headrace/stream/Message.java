package dev.headrace.stream;

/**
 * What one node sends to another. Each module that speaks to other nodes has a sealed family of its
 * own; the cluster's wire carries all of them. Immutable.
 */
public interface Message {}
