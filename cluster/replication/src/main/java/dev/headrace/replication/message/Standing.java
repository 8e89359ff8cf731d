package dev.headrace.replication.message;

/**
 * What a node has of a segment, as far as it matters to a new primary that has to find out whether
 * somebody is left who has all that was acknowledged.
 *
 * <p>Nothing is acknowledged under any owners before each of them has a copy. So an owner that
 * never had one proves that nothing was acknowledged in its time, as well as an owner with a copy
 * proves that what was acknowledged then is not lost. One that had a copy and lost it proves
 * nothing.
 *
 * @param copy whether the replica has every mutation up to the last one that the node names; half a
 *     copy is none
 * @param content whether the node knows of anything that was written in the segment's incarnation;
 *     then it knows when that began, too
 * @param inSyncUnder the epoch of the newest owners under which it had all that was acknowledged; 0
 *     for none
 * @param lostUnder the epoch of the newest owners under which it lost a copy; 0 for none
 * @param toldUnder the epoch of the newest owners whose primary it told its history before: without
 *     that none of them can have served unless another one of its row has told them; 0 for none
 * @param beganUnder the term of the first mutation of all, which the node has seen, or has heard
 *     of: nothing was acknowledged before, for its primary knew everything; 0 if it has not. It
 *     travels with whatever tells that there is content
 */
public record Standing(
    boolean copy,
    boolean content,
    long inSyncUnder,
    long lostUnder,
    long toldUnder,
    long beganUnder) {
  /** That of a node that has never had anything of the segment. */
  public static final Standing NONE = new Standing(false, false, 0, 0, 0, 0);
}
