package dev.headrace.cluster.message;

/**
 * Checks that messages reach a node over a connection, and come back.
 *
 * @param number the question's number
 * @param answer whether this is the answer to it
 * @param share which of the sender's connections it takes
 * @param shares how many the sender has
 */
public record Probe(long number, boolean answer, int share, int shares) implements NodeMessage {
  /** The most connections that a node can have to another one. */
  private static final int MAX_SHARES = 64;

  /** Checks that there is such a connection. */
  public Probe {
    if (shares < 1 || shares > MAX_SHARES || share < 0 || share >= shares) {
      throw new IllegalArgumentException(
          "a probe cannot take connection %d of %d".formatted(share, shares));
    }
  }
}
