package dev.headrace.rebalance.agreement;

import dev.headrace.api.LostSegments;
import dev.headrace.rebalance.table.TableHeader;
import java.time.Duration;
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
 * @param lostSegments what becomes of segments whose owners cannot be reached. The coordinator
 *     admits only nodes that have the same, so that it does not matter who coordinates
 * @param hashSeed the seed of the keys' hashes; empty for that of the cluster, whatever it is
 */
public record ClusterTerms(
    String clusterName,
    int segments,
    int owners,
    int maxEntryBytes,
    String placement,
    LostSegments lostSegments,
    OptionalLong hashSeed) {

  private static final int MAX_NAME_CHARS = 255;

  public ClusterTerms {
    if (clusterName.length() > MAX_NAME_CHARS) {
      throw new IllegalArgumentException(
          "A cluster's name may have %d characters, but this has %d"
              .formatted(MAX_NAME_CHARS, clusterName.length()));
    }
  }

  /** Terms with the default placement, where segments wait for their owners. */
  public ClusterTerms(
      String clusterName, int segments, int owners, int maxEntryBytes, OptionalLong hashSeed) {
    this(
        clusterName,
        segments,
        owners,
        maxEntryBytes,
        TableHeader.DEFAULT_PLACEMENT,
        LostSegments.WAIT,
        hashSeed);
  }

  public ClusterTerms placedBy(String other) {
    return new ClusterTerms(
        clusterName, segments, owners, maxEntryBytes, other, lostSegments, hashSeed);
  }

  public ClusterTerms losing(LostSegments other) {
    return new ClusterTerms(
        clusterName, segments, owners, maxEntryBytes, placement, other, hashSeed);
  }

  /**
   * After how long segments begin anew whose owners cannot be reached; {@link
   * AgreementSettings#NEVER} if somebody has to decide that.
   */
  long recreateNanos() {
    Duration time = lostSegments.recreateAfter();
    if (time == null || time.compareTo(Duration.ofNanos(AgreementSettings.NEVER)) >= 0) {
      return AgreementSettings.NEVER;
    }
    return time.toNanos();
  }

  /**
   * Why a node with these terms is not taken into a cluster; null if nothing differs. A node that
   * holds nothing takes the cluster's numbers and its placement, whatever its own are.
   *
   * @param cluster the terms of the node that decides
   */
  @Nullable String refusalBy(ClusterTerms cluster, TableHeader table, boolean holdsSegments) {
    if (!clusterName.equals(cluster.clusterName)) {
      return differs("the cluster name", '"' + clusterName + '"', '"' + cluster.clusterName + '"');
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
    if (holdsSegments && !lostSegments.equals(cluster.lostSegments)) {
      return differs("lostSegments", lostSegments, cluster.lostSegments);
    }
    if (hashSeed.isPresent() && hashSeed.getAsLong() != table.hashSeed()) {
      return differs("the hash seed", hashSeed.getAsLong(), table.hashSeed())
          + ", or leave the seed out";
    }
    return null;
  }

  private static String differs(String what, Object ours, Object theirs) {
    return "This node was started with %s %s, but the cluster that it found has %s: start it with %s"
        .formatted(what, ours, theirs, theirs);
  }
}
