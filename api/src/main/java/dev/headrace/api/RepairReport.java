package dev.headrace.api;

/**
 * What comparing the replicas of segments with their primaries, and repairing them, has come to.
 *
 * @param segments how many segments were to be compared
 * @param compared how many were, and had their differences repaired
 * @param entries entries that primaries have compared with their backups
 * @param bytes the bytes of these entries
 * @param differences ranges of entries that a backup had otherwise than its primary
 * @param repaired entries of backups that were removed, added or replaced
 * @param newer how many of these had a higher version than the primary's, which hints at an error
 *     in Headrace or at damage to the primary
 * @param sentBytes bytes of entries that were sent to repair ranges
 */
public record RepairReport(
    int segments,
    int compared,
    long entries,
    long bytes,
    long differences,
    long repaired,
    long newer,
    long sentBytes) {

  /** Whether every segment was compared. */
  public boolean complete() {
    return compared == segments;
  }
}
