package dev.headrace.cluster.message;

/**
 * Asks a node to forget a cache from which everything was removed: its format, and that it was
 * there. {@link CacheForgotten} is the answer. Since version {@value #PROTOCOL} of the protocol.
 *
 * @param number identifies the answer
 * @param cache the name of the cache
 */
public record ForgetCache(long number, String cache) implements NodeMessage {
  /** The version of the protocol that all members have to know. */
  public static final int PROTOCOL = 8;
}
