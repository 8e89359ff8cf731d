package dev.headrace.benchmarks.peer;

/** Where in the cluster a benchmark's reader stands. */
public enum Vantage {
  /** The data node that was started last; about a third of all entries are its own. */
  OWNER,
  /** One more member, which holds no entries: everything it reads or writes crosses the wire. */
  BYSTANDER;

  /** The name in results. */
  public String label() {
    return this == OWNER ? "owner" : "remote-only";
  }
}
