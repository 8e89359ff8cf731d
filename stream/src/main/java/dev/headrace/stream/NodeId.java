package dev.headrace.stream;

/**
 * A node's identity. Each start of the process draws a new one: a node that restarts is another
 * node.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record NodeId(long high, long low) implements Comparable<NodeId> {

  /** Compares the identities as unsigned 128-bit numbers. */
  @Override
  public int compareTo(NodeId other) {
    int upper = Long.compareUnsigned(high, other.high);
    return upper != 0 ? upper : Long.compareUnsigned(low, other.low);
  }

  /** Returns 32 hexadecimal digits. */
  @Override
  public String toString() {
    return digits(high) + digits(low);
  }

  private static String digits(long half) {
    String hex = Long.toHexString(half);
    return "0".repeat(16 - hex.length()) + hex;
  }
}
