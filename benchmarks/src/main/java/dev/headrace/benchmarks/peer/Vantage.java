package dev.headrace.benchmarks.peer;

import java.util.Arrays;

/** Where in the cluster a benchmark's reader stands. */
public enum Vantage {
  /** The data node that was started last; about a third of all entries are its own. */
  OWNER,
  /** One more member, which holds no entries: everything it reads or writes crosses the wire. */
  REMOTE_ONLY;

  /** The name in results. */
  public String label() {
    return this == OWNER ? "owner" : "remote-only";
  }

  /** The vantage of this label. */
  public static Vantage of(String label) {
    return Arrays.stream(values())
        .filter(vantage -> vantage.label().equals(label))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("Unknown vantage " + label));
  }
}
