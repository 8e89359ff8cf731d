package dev.headrace.replication.message;

/**
 * What comparing and repairing has come to.
 *
 * @param entries entries that primaries have compared with their backups
 * @param bytes the bytes of these entries
 * @param differences ranges that a backup had otherwise
 * @param repaired entries of backups that were removed, stored or stored anew
 * @param newer how many of these had a higher version than the primary's, which must not be
 * @param sentBytes bytes of entries that were sent to repair ranges
 */
public record RepairStats(
    long entries, long bytes, long differences, long repaired, long newer, long sentBytes) {
  /** Nothing so far. */
  public static final RepairStats NONE = new RepairStats(0, 0, 0, 0, 0, 0);

  public RepairStats plus(RepairStats other) {
    return new RepairStats(
        entries + other.entries,
        bytes + other.bytes,
        differences + other.differences,
        repaired + other.repaired,
        newer + other.newer,
        sentBytes + other.sentBytes);
  }
}
