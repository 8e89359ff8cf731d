package dev.headrace.replication.role;

/**
 * This node's right to answer for what it owns: a port of whoever knows when it ends.
 *
 * <p>It must be extended only by one who has seen that this node's table is in force: a node that
 * does not know the newest table in force must lose its lease, since others wait just so long for
 * owners that they cannot ask.
 */
@FunctionalInterface
public interface LeaseView {

  /**
   * Whether it has not run out. Asked after what was to be answered has been read, and before it is
   * answered. Never blocks.
   */
  boolean valid();
}
