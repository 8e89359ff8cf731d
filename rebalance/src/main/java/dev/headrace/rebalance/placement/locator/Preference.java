package dev.headrace.rebalance.placement.locator;

/** What is done with the nodes of a key, in the order of preference. */
public final class Preference {

  private Preference() {}

  /** Whether a node is among the first ones. */
  public static boolean contains(int[] owners, int count, int node) {
    for (int i = 0; i < count; i++) {
      if (owners[i] == node) {
        return true;
      }
    }
    return false;
  }
}
