package dev.headrace.replication.message;

/**
 * A node tells the others how much of the memory for its stores it uses.
 *
 * @param usedBytes what its stores take
 * @param limitBytes what they may take
 */
public record MemoryNotice(long usedBytes, long limitBytes) implements ReplicationMessage {
  public MemoryNotice {
    if (usedBytes < 0 || limitBytes < 1) {
      throw new IllegalArgumentException(
          "memory of " + limitBytes + " bytes cannot have " + usedBytes + " in use");
    }
  }
}
