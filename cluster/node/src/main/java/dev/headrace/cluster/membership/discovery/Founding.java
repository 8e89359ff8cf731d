package dev.headrace.cluster.membership.discovery;

/**
 * A discovery that decides whether a newcomer may found a cluster. It searches until that is
 * certain. Thread-safe.
 *
 * <p>Two newcomers must not found two clusters. So a newcomer announces that it is about to found
 * one, then searches again: of two that do this at the same time, at least one sees the other and
 * gives way.
 */
public interface Founding {

  /** Whether the search has ended, and no other node is a member or about to become one. */
  boolean mayFound();

  /**
   * What the search has seen, as text for people: which nodes were found, and which did not answer.
   */
  String outlook();

  /** Makes the search fail. */
  void giveUp();
}
