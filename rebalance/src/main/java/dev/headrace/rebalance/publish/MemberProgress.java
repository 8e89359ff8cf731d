package dev.headrace.rebalance.publish;

/** How far one member is, as the publishing node knows from its answers. */
public final class MemberProgress {
  /** No point in time. */
  public static final long NEVER = Long.MIN_VALUE;

  private long storedEpoch;
  private long installedEpoch;
  private long promisedBallot;
  private long toldEpoch = -1;
  private long sentThrough = -1;
  private long sentNanos;
  private boolean inFlight;
  private boolean needsImage;
  private long askedNanos = NEVER;
  private long echoNanos = NEVER;
  private long answeredSinceNanos = NEVER;

  /**
   * A member to which nothing is under way.
   *
   * @param storedEpoch its newest table's, -1 if it has none
   * @param installedEpoch that of the table in force there, -1 if there is none
   */
  public MemberProgress(long storedEpoch, long installedEpoch) {
    this.storedEpoch = storedEpoch;
    this.installedEpoch = installedEpoch;
  }

  /** The epoch of the newest table that it has stored; perhaps one of another line. */
  public long storedEpoch() {
    return storedEpoch;
  }

  /** The epoch of the table that is in force there, -1 before the first. */
  public long installedEpoch() {
    return installedEpoch;
  }

  /** The newest ballot under which it takes tables. */
  public long promisedBallot() {
    return promisedBallot;
  }

  /** Whether a batch is under way that is not yet given up. */
  public boolean inFlight(long nowNanos, long resendNanos) {
    return inFlight && nowNanos - sentNanos < resendNanos;
  }

  /** Whether it was told, in a message that may be lost, that a table is in force. */
  public boolean wasTold(long inForceEpoch) {
    return toldEpoch >= inForceEpoch;
  }

  /** Its table differs by more than deltas can say. */
  public void needImage() {
    needsImage = true;
  }

  public boolean needsImage() {
    return needsImage;
  }

  /**
   * The time to put on a message to it: the present one, or a little later, so that no two messages
   * have the same and an answer says to which of them it belongs.
   */
  public long asking(long nowNanos) {
    boolean first = askedNanos == NEVER;
    askedNanos = first || nowNanos - askedNanos > 0 ? nowNanos : askedNanos + 1;
    return askedNanos;
  }

  /** A batch that ends with a table of this epoch is on its way. */
  public void sent(long through, long nowNanos) {
    sentThrough = through;
    sentNanos = nowNanos;
    inFlight = true;
  }

  /** It is being told, with whatever else, what is in force. */
  public void told(long inForceEpoch) {
    toldEpoch = Math.max(toldEpoch, inForceEpoch);
  }

  /**
   * It has answered.
   *
   * @param promised the ballot that it promises
   * @param stored the epoch of its newest table
   * @param installed the epoch of the table that is in force there
   * @param askedNanos when the message was sent that it answers
   * @param itsNanos when it sent the answer, by its own clock
   */
  public void answered(long promised, long stored, long installed, long askedNanos, long itsNanos) {
    // A node's epochs and ballots only grow: an answer that comes late takes nothing back.
    promisedBallot = Math.max(promisedBallot, promised);
    storedEpoch = Math.max(storedEpoch, stored);
    installedEpoch = Math.max(installedEpoch, installed);
    if (inFlight && storedEpoch >= sentThrough) {
      inFlight = false;
      needsImage = false;
    } else if (inFlight && askedNanos == sentNanos) {
      // It has the batch and cannot do anything with it.
      inFlight = false;
      needsImage = true;
    }
    if (answeredSinceNanos == NEVER || askedNanos - answeredSinceNanos > 0) {
      answeredSinceNanos = askedNanos;
    }
    if (echoNanos == NEVER || itsNanos - echoNanos > 0) {
      echoNanos = itsNanos;
    }
  }

  /** Since when it is known to have been with this publisher, {@link #NEVER} if it never was. */
  public long answeredSinceNanos() {
    return answeredSinceNanos;
  }

  /** When it sent its latest answer, by its own clock; {@link #NEVER} before the first. */
  public long echoNanos() {
    return echoNanos;
  }
}
