package dev.headrace.rebalance.agreement;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.table.Member;

/**
 * Settings of an agreement.
 *
 * @param self this node
 * @param terms what this node wants its cluster to be
 * @param split what a part of the cluster may do alone
 * @param movesSegments whether segments of nodes that want to leave are moved: such a node stays
 *     until it owns nothing; otherwise it is taken out with what it owns
 * @param publishesImages whether every change travels with a whole table; only to measure by
 * @param resendNanos after how long a message without an answer is sent again
 * @param heartbeatNanos how often a coordinator tells everybody that it is there
 * @param leaseNanos how long a lease lasts; all nodes must agree
 */
public record AgreementSettings(
    Member self,
    ClusterTerms terms,
    SplitPolicy split,
    boolean movesSegments,
    boolean publishesImages,
    long resendNanos,
    long heartbeatNanos,
    long leaseNanos) {

  /** Segments wait until somebody gives them up. */
  public static final long NEVER = Long.MAX_VALUE;

  public static final long LEASE_NANOS = 1_000_000_000L;

  /** Ten heartbeats per lease, and two before a message counts as lost. */
  public static AgreementSettings of(Member self, ClusterTerms terms, SplitPolicy split) {
    long heartbeatNanos = LEASE_NANOS / 10;
    return new AgreementSettings(
        self, terms, split, false, false, 2 * heartbeatNanos, heartbeatNanos, LEASE_NANOS);
  }

  /**
   * How long a view waits for the hellos of nodes that its table knows before a quorum of them
   * begins: well before the leases of the last view end.
   */
  long helloNanos() {
    return resendNanos + resendNanos / 2;
  }

  /**
   * How long those who found a cluster, or know of nothing written, wait for everybody in their
   * view before they go by what the others have said.
   */
  long foundingNanos() {
    return 3 * leaseNanos;
  }

  /** The same where somebody moves segments. */
  public AgreementSettings movingSegments() {
    return new AgreementSettings(
        self, terms, split, true, publishesImages, resendNanos, heartbeatNanos, leaseNanos);
  }

  /** The same, with a whole table for every change or without. */
  public AgreementSettings publishingImages(boolean images) {
    return new AgreementSettings(
        self, terms, split, movesSegments, images, resendNanos, heartbeatNanos, leaseNanos);
  }

  /**
   * Whether segments whose owners cannot be reached wait for them. Where every part of a cluster
   * goes on as if the others were gone, none does.
   */
  boolean waits() {
    return split == SplitPolicy.DENY && terms.recreateNanos() > 0;
  }
}
