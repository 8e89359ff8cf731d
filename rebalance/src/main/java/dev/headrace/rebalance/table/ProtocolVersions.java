package dev.headrace.rebalance.table;

import org.jspecify.annotations.Nullable;

/**
 * The versions of the protocol that a node knows: of what nodes send each other over both ports.
 *
 * <p>Two nodes speak the newest version that both know. What all nodes have to know before anybody
 * may use it goes by the cluster's version ({@link TableHeader#protocol}): it rises when all
 * members know the next one, and sinks only as long as there is no data. The guide's page about
 * upgrades says what that means for operators, and what a change of a form has to keep.
 *
 * @param oldest from 1
 * @param newest at least the oldest
 */
public record ProtocolVersions(int oldest, int newest) {
  /** Those of this release. */
  public static final ProtocolVersions OWN = new ProtocolVersions(7, 8);

  private static final int MAX_VERSION = Byte.MAX_VALUE;

  public ProtocolVersions {
    if (oldest < 1 || newest < oldest || newest > MAX_VERSION) {
      throw new IllegalArgumentException("No versions of a protocol: " + oldest + " to " + newest);
    }
  }

  public boolean contains(int version) {
    return oldest <= version && version <= newest;
  }

  /** The versions that are also among these; null if there are none. */
  public @Nullable ProtocolVersions common(ProtocolVersions other) {
    int from = Math.max(oldest, other.oldest);
    int to = Math.min(newest, other.newest);
    return from <= to ? new ProtocolVersions(from, to) : null;
  }

  /** The version in which to speak to a node: the newest that both know, if there is one. */
  public int spokenWith(ProtocolVersions other) {
    return Math.max(oldest, Math.min(newest, other.newest));
  }

  @Override
  public String toString() {
    return oldest == newest ? "version " + oldest : "versions " + oldest + " to " + newest;
  }
}
