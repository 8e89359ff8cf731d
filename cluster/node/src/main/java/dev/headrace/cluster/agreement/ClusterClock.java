package dev.headrace.cluster.agreement;

import dev.headrace.stream.NodeId;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Cluster time in milliseconds: the machine's monotonic clock, kept at the time of the cluster's
 * coordinator. Wall clocks may jump without any effect on expiry.
 *
 * <p>The founding node takes its wall clock; every other node estimates the coordinator's cluster
 * time from round trips of control messages (F. Cristian, <i>Probabilistic clock
 * synchronization</i>, 1989): what comes back after a time d with a time t in it was sent at most d
 * before it came, so that it is t + d/2 now, give or take d/2. Of all estimates the one with the
 * least error is kept, where errors grow with age by {@link #DRIFT}; a pause at either end, or a
 * slow message, makes a large error and loses against the next good one. A successor of the
 * coordinator goes on with the time that it has. A node that is in use does not move its clock by
 * an estimate that may be wrong by more than {@link #MAX_ERROR_NANOS}, except as far as even that
 * contradicts it: the coordinator may just have woken up, and be known by its late answers only.
 *
 * <p>Time never goes back. A clock that is behind is set forward; one that is ahead runs at half
 * its speed until it is right. All nodes' clocks are at most their {@linkplain #errorNanos error}
 * away from the coordinator's, as long as clocks run alike within {@link #DRIFT}.
 *
 * <p>The clock is read by any thread; everything else is done by one.
 */
public final class ClusterClock implements LongSupplier {
  /** Two machines' clocks may drift apart by one part in so many of the time that passes. */
  static final long DRIFT = 200;

  /** A node whose clock may be wrong by more is not used yet. */
  static final long MAX_ERROR_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The error of a node that has had no round trip. */
  static final long UNKNOWN_NANOS = TimeUnit.DAYS.toNanos(1);

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final LongSupplier nanoTime;
  private final Map<NodeId, Peer> peers = new HashMap<>();
  private volatile Setting setting;
  private @Nullable NodeId reference;
  private boolean settled;

  /**
   * How cluster time is made of monotonic time.
   *
   * @param offsetNanos cluster time minus monotonic time, as estimated
   * @param atNanos when it was estimated
   * @param errorNanos by how much it may have been wrong then
   * @param aheadNanos by how much more the clock had shown then, which it must not take back
   * @param exact whether this node's clock is the cluster's
   */
  private record Setting(
      long offsetNanos, long atNanos, long errorNanos, long aheadNanos, boolean exact) {

    long clusterNanos(long nowNanos) {
      return nowNanos + offsetNanos + leftNanos(nowNanos);
    }

    /** By how much the clock is still ahead, while it runs at half its speed. */
    long leftNanos(long nowNanos) {
      return Math.max(0, aheadNanos - Math.max(0, nowNanos - atNanos) / 2);
    }

    long errorNanos(long nowNanos) {
      long grown = exact ? errorNanos : aged(errorNanos, atNanos, nowNanos);
      return grown + leftNanos(nowNanos);
    }
  }

  /**
   * The times that a control message carries.
   *
   * @param clusterNanos the sender's cluster time at sending
   * @param sentNanos the sender's monotonic time at sending
   * @param echoNanos the monotonic time in the receiver's newest message; 0 if there was none
   * @param heldNanos how long before the sending that message had come
   */
  record Stamp(long clusterNanos, long sentNanos, long echoNanos, long heldNanos) {}

  /** What is known about another node's time. All times but the first are this node's. */
  private static final class Peer {
    private long sentNanos;
    private long receivedNanos;
    private Estimate newest = Estimate.NONE;
    private Estimate best = Estimate.NONE;

    void received(Stamp stamp, long nowNanos) {
      sentNanos = stamp.sentNanos;
      receivedNanos = nowNanos;
      long roundTripNanos = nowNanos - stamp.echoNanos - stamp.heldNanos;
      boolean measured = stamp.echoNanos != 0 && stamp.heldNanos >= 0 && roundTripNanos >= 0;
      newest =
          new Estimate(
              stamp.clusterNanos + (measured ? roundTripNanos / 2 : 0) - nowNanos,
              measured ? roundTripNanos / 2 + 1 : UNKNOWN_NANOS,
              nowNanos);
      if (newest.errorNanos <= best.errorNanos(nowNanos)) {
        best = newest;
      }
    }

    /**
     * Forgets earlier estimates: the node's clock may have been set before it became the
     * coordinator.
     */
    void followed() {
      best = newest;
    }
  }

  /**
   * An estimate of another node's time.
   *
   * @param offsetNanos its cluster time minus this node's monotonic time
   * @param errorNanos by how much that may be wrong
   * @param atNanos when it was found
   */
  private record Estimate(long offsetNanos, long errorNanos, long atNanos) {
    static final Estimate NONE = new Estimate(0, Long.MAX_VALUE / 2, 0);

    long errorNanos(long nowNanos) {
      return aged(errorNanos, atNanos, nowNanos);
    }
  }

  public ClusterClock(LongSupplier nanoTime, long wallMillis) {
    this.nanoTime = nanoTime;
    long nowNanos = nanoTime.getAsLong();
    this.setting =
        new Setting(wallMillis * NANOS_PER_MILLI - nowNanos, nowNanos, UNKNOWN_NANOS, 0, false);
  }

  /** Cluster time now. */
  @Override
  public long getAsLong() {
    return setting.clusterNanos(nanoTime.getAsLong()) / NANOS_PER_MILLI;
  }

  /** By how much this clock may differ from the coordinator's. */
  public long errorNanos() {
    return setting.errorNanos(nanoTime.getAsLong());
  }

  /** Whether the clock may be used; see {@link #MAX_ERROR_NANOS}. */
  boolean isAccurate() {
    return errorNanos() <= MAX_ERROR_NANOS;
  }

  /** The times for a message to a node. */
  Stamp stamp(NodeId to) {
    long nowNanos = nanoTime.getAsLong();
    Peer peer = peers.get(to);
    long clusterNanos = setting.clusterNanos(nowNanos);
    return peer == null || peer.sentNanos == 0
        ? new Stamp(clusterNanos, nowNanos, 0, 0)
        : new Stamp(clusterNanos, nowNanos, peer.sentNanos, nowNanos - peer.receivedNanos);
  }

  /** A message has come. */
  void received(NodeId from, Stamp stamp) {
    long nowNanos = nanoTime.getAsLong();
    peers.computeIfAbsent(from, id -> new Peer()).received(stamp, nowNanos);
    if (from.equals(reference)) {
      adopt(from, nowNanos);
    }
  }

  /** Forgets nodes that have left the view. */
  void retain(Collection<NodeId> present) {
    peers.keySet().retainAll(present);
  }

  /**
   * Begins to follow a coordinator's clock.
   *
   * @param coordinator null while it is not known
   * @param self whether it is this node
   */
  void follow(@Nullable NodeId coordinator, boolean self) {
    if (coordinator == null || coordinator.equals(reference)) {
      return;
    }
    reference = coordinator;
    long nowNanos = nanoTime.getAsLong();
    if (self) {
      long offsetNanos = setting.clusterNanos(nowNanos) - nowNanos;
      setting = new Setting(offsetNanos, nowNanos, 0, 0, true);
    } else {
      peers.computeIfAbsent(coordinator, id -> new Peer()).followed();
      adopt(coordinator, nowNanos);
    }
  }

  /** The node is in use: from now on its time never goes back. */
  void settle() {
    settled = true;
  }

  private void adopt(NodeId coordinator, long nowNanos) {
    Setting before = setting;
    Peer peer = peers.get(coordinator);
    Estimate best = peer == null ? Estimate.NONE : peer.best;
    long errorNanos = best.errorNanos(nowNanos);
    boolean guessed = best.errorNanos >= UNKNOWN_NANOS;
    if (!settled && best.errorNanos <= UNKNOWN_NANOS) { // a guess is better than none
      setting = new Setting(best.offsetNanos, nowNanos, errorNanos, 0, false);
    } else if (!guessed) {
      long offsetNanos = best.offsetNanos;
      if (errorNanos > MAX_ERROR_NANOS) {
        offsetNanos =
            Math.max(
                offsetNanos - errorNanos, Math.min(offsetNanos + errorNanos, before.offsetNanos));
        errorNanos += Math.abs(offsetNanos - best.offsetNanos);
      }
      long aheadNanos = before.clusterNanos(nowNanos) - (nowNanos + offsetNanos);
      setting = new Setting(offsetNanos, nowNanos, errorNanos, Math.max(0, aheadNanos), false);
    } else if (before.exact) {
      setting = new Setting(before.offsetNanos, nowNanos, UNKNOWN_NANOS, 0, false);
    }
  }

  private static long aged(long errorNanos, long atNanos, long nowNanos) {
    return errorNanos + Math.max(0, nowNanos - atNanos) / DRIFT;
  }
}
