package dev.headrace.stream;

/**
 * What one node sends to another. Each module that talks to other nodes has its own sealed family
 * of messages; the cluster's wire carries them all. Immutable.
 */
public interface Message {}
