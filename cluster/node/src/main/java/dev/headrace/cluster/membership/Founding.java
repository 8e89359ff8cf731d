package dev.headrace.cluster.membership;

/**
 * Whether a newcomer may found a cluster, where the discovery knows; it then looks for others until
 * that is certain one way or the other. Thread-safe.
 *
 * <p>Two newcomers must not found two clusters at once. So whoever is about to found one says so
 * first, and looks for others again: of two that do this at the same time at least one sees the
 * other, and gives way.
 */
interface Founding {

  /** Whether the search has ended with nobody else who is, or is about to be, a member. */
  boolean mayFound();

  /** What the search has seen, for people: who was found and did not answer. */
  String outlook();

  /** The search is given up: it fails. */
  void giveUp();
}
