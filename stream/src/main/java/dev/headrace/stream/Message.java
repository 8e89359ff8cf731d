package dev.headrace.stream;

/**
 * What one node sends to another. Each module that talks to other nodes has its own sealed family
 * of messages; the cluster's wire carries them all. Immutable.
 */
public interface Message {

  /**
   * Messages of one share to one node arrive in the order in which they were sent; those of two
   * shares may overtake each other. What is about a segment has the segment's share; what is about
   * a node, such as a table, has share 0.
   *
   * @return not negative
   */
  default int share() {
    return 0;
  }
}
