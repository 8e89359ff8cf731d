package dev.headrace.rebalance.agreement;

import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.agreement.ControlMessage.Appended;
import dev.headrace.rebalance.agreement.ControlMessage.RangeStamps;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.publish.DeltaLog;
import dev.headrace.rebalance.publish.DeltaLog.Step;
import dev.headrace.rebalance.publish.Lease;
import dev.headrace.rebalance.publish.MemberProgress;
import dev.headrace.rebalance.publish.Quorum;
import dev.headrace.rebalance.publish.StampSearch;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableSlice;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a node remembers of the agreement: the tables that it has stored, which of them is in force,
 * and the newest ballot under which it takes any (the acceptor of Paxos, Lamport 1998).
 *
 * <p>What it has stored need not be in force anywhere, and may be replaced by another line under a
 * newer ballot. What is in force stays. {@code f} is the epoch in force, {@code n} the newest
 * stored one, {@code p} the promised ballot; "stored" is {@code n > f}.
 *
 * <pre>
 * state      event            guard                          next      effects
 * ---------- ---------------- ------------------------------ --------- ---------------------------
 * any        append           ballot &lt; p                     same      refused with p
 * any        append           ballot &gt; p, and it lacks n     same      silent: no promise
 * any        append           other first write than f's     same      silent
 * any        append           else                           as below  p = ballot; answered
 * empty      append           has an image                   in force  image and deltas are stored,
 *                                                                      the image is installed
 * in force   append           deltas go on from n            stored    appended to the log
 * stored     append           deltas do not go on from n,    stored    the line gives way to the
 *                             image newer than n                       image, which is installed
 * stored     append           says f' &gt; f, line agreed       in force  f = f'; each step installed
 * any        append           echoes, and f' &lt;= f here       same      lease is extended
 * in force   notice           of ballot p, goes on from n    in force  stored and installed
 * any        range repair     epoch is n                     same      rows replaced; installed with
 *                                                                      the next table, as a whole
 * </pre>
 *
 * <p>A line is agreed up to where it is known to be the coordinator's: all of it if {@code n} is of
 * the coordinator's ballot, else up to the last epoch that the message names.
 */
final class Acceptor {

  /** What is told about a table that comes into force. */
  interface Installer {
    /**
     * Acts on a table, unless it does not concern this node.
     *
     * @param delta as {@link AgreementEffects#install} wants it
     * @return false if this node is none of its members
     */
    boolean install(TableDelta delta, SegmentTable newImage);
  }

  private final DeltaLog log = new DeltaLog();
  private final Lease lease;
  private final Installer installer;
  private @Nullable SegmentTable installed;
  private long inForceEpoch = -1;
  private long promisedBallot;
  private long usableBallot;
  private boolean repaired;

  Acceptor(Lease lease, Installer installer) {
    this.lease = lease;
    this.installer = installer;
  }

  DeltaLog log() {
    return log;
  }

  Lease lease() {
    return lease;
  }

  /** The table that this node acts upon, or null before the first. */
  @Nullable SegmentTable installed() {
    return installed;
  }

  /** The epoch up to which the kept line is known to be in force, -1 if there is none. */
  long inForceEpoch() {
    return inForceEpoch;
  }

  /** The table of that epoch, or null if there is none. */
  @Nullable SegmentTable inForce() {
    return log.table(inForceEpoch);
  }

  /** The tables from the one in force to the newest. */
  List<Step> line() {
    return log.steps(inForceEpoch, log.newestEpoch());
  }

  /** A table with which those in reach may not go on; null if there is none. */
  @Nullable SegmentTable missed(Quorum reach) {
    if (installed != null && !reach.permits(installed)) {
      return installed;
    }
    return line().stream()
        .map(Step::table)
        .filter(table -> !reach.permits(table))
        .findFirst()
        .orElse(null);
  }

  long promisedBallot() {
    return promisedBallot;
  }

  /**
   * The ballot under which a quorum takes this node's tables unless it promises a newer one; or 0.
   */
  long usableBallot() {
    return usableBallot;
  }

  /** A quorum has promised this node a ballot. */
  void use(long ballot) {
    usableBallot = ballot;
  }

  /** From now on this node takes no tables under an older ballot. */
  void promise(long ballot) {
    promisedBallot = Math.max(promisedBallot, ballot);
  }

  /**
   * Does what a coordinator says: promises, stores, puts in force, takes the lease.
   *
   * @param firstWrite that of the table on which the coordinator acts, 0 if it is unwritten
   * @return false if it must not: the coordinator's ballot is over, it lacks tables that this node
   *     has, or its tables are of other data
   */
  boolean take(Append append, long firstWrite) {
    SegmentTable image = append.image();
    if (append.ballot() < promisedBallot
        || lacksTables(append, firstWrite)
        || (image != null && !isSameData(image) && !leadsHere(append))) {
      return false;
    }
    promisedBallot = append.ballot();
    store(append);
    putInForce(Math.min(append.inForceEpoch(), agreedEpoch(append)));
    log.trim(inForceEpoch);
    extendLease(append.echoNanos(), append.inForceEpoch());
    return true;
  }

  /**
   * A quorum was with the coordinator, which may be this node, when a table was in force. A node
   * that does not know that table, or is no member of it, may still act on an older one, and gets
   * no lease.
   */
  void extendLease(long sentNanos, long inForce) {
    boolean acts = installed == null || installed.epoch() >= inForce;
    if (sentNanos != MemberProgress.NEVER && acts) {
      lease.echoed(sentNanos);
    }
  }

  /**
   * Takes over what another member says is in force, if it goes on with this node's line under the
   * ballot that this node has promised: all tables of one ballot are of one line, so that it is
   * what the coordinator would send. It does not matter from whom that member has it.
   *
   * @param mayInstall which tables may come in force here without the coordinator's word
   * @return whether this node has the notice's table in force now
   */
  boolean learn(TableNotice notice, Predicate<SegmentTable> mayInstall) {
    long epoch = notice.epoch();
    if (installed == null || Epoch.ballot(epoch) != promisedBallot) {
      return inForceEpoch >= epoch;
    }
    SegmentTable image = notice.image();
    if (image != null && image.epoch() > log.newestEpoch() && isOfPromisedBallot(image)) {
      begin(image);
    }
    for (TableDelta delta : notice.deltas()) {
      boolean next = delta.fromEpoch() == log.newestEpoch() && delta.epoch() <= epoch;
      if (next && Epoch.ballot(delta.epoch()) == promisedBallot) {
        log.append(delta);
      }
    }
    SegmentTable table = log.table(epoch);
    if (table != null && mayInstall.test(table)) {
      putInForce(epoch);
      log.trim(inForceEpoch);
    }
    return inForceEpoch >= epoch;
  }

  /**
   * Whether a node begins to decide that has not seen what may be in force already (the election
   * restriction of Raft, Ongaro and Ousterhout 2014). It matters where not everybody in a view has
   * been heard before its coordinator began.
   */
  private boolean lacksTables(Append append, long firstWrite) {
    return append.ballot() > promisedBallot && isAheadOf(append.newestEpoch(), firstWrite);
  }

  /**
   * Whether this node has stored what a coordinator lacks and what may be in force somewhere. A
   * first write that is only stored gives way to another one that is in force.
   *
   * @param epoch of the newest table that the coordinator has
   * @param firstWrite that of the table on which it acts, 0 if it is unwritten
   */
  boolean isAheadOf(long epoch, long firstWrite) {
    SegmentTable newest = log.newest();
    boolean acts = installed != null && installed.written();
    return newest != null
        && newest.written()
        && newest.epoch() > epoch
        && (acts || firstWrite == 0 || firstWrite == newest.header().firstWrite());
  }

  private boolean isOfPromisedBallot(SegmentTable image) {
    return Epoch.ballot(image.epoch()) == promisedBallot && isSameData(image);
  }

  /** Puts in force what the line has up to an epoch, step by step. */
  void putInForce(long through) {
    for (Step step : log.steps(inForceEpoch + 1, through)) {
      inForceEpoch = step.table().epoch();
      install(step);
    }
  }

  /** Forgets what was stored, and begins another line with a table that is in force. */
  void begin(SegmentTable image) {
    log.begin(image);
    inForceEpoch = image.epoch();
    install(log.steps(inForceEpoch, inForceEpoch).get(0));
  }

  private void install(Step step) {
    SegmentTable next = step.table();
    SegmentTable before = installed;
    // Another cluster's table may be of an older epoch; the next one will not be.
    if (before == null || next.epoch() > before.epoch()) {
      TableDelta delta = step.delta();
      if (before == null || delta == null || delta.fromEpoch() != before.epoch() || repaired) {
        delta = TableDelta.fromNothing(next);
      }
      if (installer.install(delta, next)) {
        installed = next;
        repaired = false;
      }
    }
  }

  /** Sets some segments of the newest table right; they come into force with the next table. */
  void repair(TableSlice slice) {
    SegmentTable newest = log.newest();
    if (newest != null && newest.epoch() == slice.epoch()) {
      log.repair(newest.withSlice(slice));
      repaired = true;
    }
  }

  /** What this node has, as the answer to a coordinator. */
  Appended answer(long viewMark, long askedNanos, long nowNanos) {
    SegmentTable newest = log.newest();
    long stamp = newest == null ? 0 : newest.stamp();
    return new Appended(
        viewMark, promisedBallot, log.newestEpoch(), inForceEpoch, askedNanos, nowNanos, stamp);
  }

  /** The stamps of the newest table's segments, as the answer to a question. */
  RangeStamps stamps(RangeStamps question) {
    SegmentTable newest = Objects.requireNonNull(log.newest());
    return new RangeStamps(
        question.viewMark(),
        newest.epoch(),
        newest.membersStamp(),
        question.from(),
        question.to(),
        StampSearch.stamps(newest, question.from(), question.to()));
  }

  private void store(Append append) {
    SegmentTable image = append.image();
    if (image != null && append.lastEpoch() > log.newestEpoch()) {
      begin(image);
    }
    for (TableDelta delta : append.deltas()) {
      if (delta.fromEpoch() == log.newestEpoch()) {
        log.append(delta);
      }
    }
  }

  /** Up to which epoch the line that is kept here is known to be the coordinator's. */
  private long agreedEpoch(Append append) {
    if (Epoch.ballot(log.newestEpoch()) == append.ballot()) {
      return log.newestEpoch();
    }
    if (log.has(append.lastEpoch())) {
      return append.lastEpoch();
    }
    return log.has(append.fromEpoch()) ? append.fromEpoch() : -1;
  }

  /**
   * Whether a line goes through the table that this node acts on: its image may be from before the
   * first write, if the coordinator does not know that to be in force.
   */
  private boolean leadsHere(Append append) {
    SegmentTable present = installed;
    return present != null
        && append.deltas().stream().anyMatch(delta -> delta.epoch() == present.epoch());
  }

  /** Whether a table is of the data that this node acts on. What is only stored gives way. */
  private boolean isSameData(SegmentTable image) {
    SegmentTable present = installed;
    return present == null
        || !present.written()
        || present.header().firstWrite() == image.header().firstWrite();
  }
}
