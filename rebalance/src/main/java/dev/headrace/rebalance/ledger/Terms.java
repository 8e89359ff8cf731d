package dev.headrace.rebalance.ledger;

import dev.headrace.rebalance.table.TableHeader;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What all nodes of a cluster must agree on.
 *
 * @param clusterName the cluster's name
 * @param segments number of segments
 * @param owners replicas each segment should have
 * @param maxEntryBytes the largest sum of an encoded key and value that owners take
 * @param placement the name of what gives segments to nodes
 * @param hashSeed the seed of the keys' hashes; empty for that of the cluster, whatever it is
 */
public record Terms(
    String clusterName,
    int segments,
    int owners,
    int maxEntryBytes,
    String placement,
    OptionalLong hashSeed) {

  private static final int MAX_NAME_CHARS = 255;

  /** Checks the name. */
  public Terms {
    if (clusterName.length() > MAX_NAME_CHARS) {
      throw new IllegalArgumentException(
          "A cluster's name may have "
              + MAX_NAME_CHARS
              + " characters, but this has "
              + clusterName.length());
    }
  }

  /** Terms with the default placement. */
  public Terms(
      String clusterName, int segments, int owners, int maxEntryBytes, OptionalLong hashSeed) {
    this(clusterName, segments, owners, maxEntryBytes, TableHeader.DEFAULT_PLACEMENT, hashSeed);
  }

  /**
   * Why a node with these terms is not taken into a cluster; null if nothing differs. A node that
   * holds nothing takes the cluster's numbers and its placement, whatever its own are.
   */
  @Nullable String refusalBy(String cluster, TableHeader table, boolean holdsSegments) {
    if (!clusterName.equals(cluster)) {
      return differs("the cluster name", '"' + clusterName + '"', '"' + cluster + '"');
    }
    if (holdsSegments && segments != table.segments()) {
      return differs("segments", segments, table.segments());
    }
    if (holdsSegments && owners != table.configuredOwners()) {
      return differs("owners", owners, table.configuredOwners());
    }
    if (holdsSegments && maxEntryBytes != table.maxEntryBytes()) {
      return differs("maxEntryBytes", maxEntryBytes, table.maxEntryBytes());
    }
    if (holdsSegments && !placement.equals(table.placement())) {
      return differs("the placement", placement, table.placement());
    }
    if (hashSeed.isPresent() && hashSeed.getAsLong() != table.hashSeed()) {
      return differs("the hash seed", hashSeed.getAsLong(), table.hashSeed())
          + ", or leave the seed out";
    }
    return null;
  }

  private static String differs(String what, Object ours, Object theirs) {
    return "This node was started with "
        + what
        + " "
        + ours
        + ", but the cluster that it found has "
        + theirs
        + ": start it with "
        + theirs;
  }
}
