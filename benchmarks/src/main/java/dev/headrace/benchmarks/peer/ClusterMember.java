package dev.headrace.benchmarks.peer;

import dev.headrace.benchmarks.harness.Entries;

/** One member of a cluster, in a class loader of its own. */
public interface ClusterMember extends AutoCloseable {

  /** Joins the cluster that the system properties name. */
  void start();

  /** The version that runs. */
  String version();

  /** How many partitions of the cache it owns. */
  int partitions();

  /** Replaces the whole content. */
  void load(Entries entries);

  /** The cache as this member sees it. */
  View view();

  /** A cache of trades as this member sees it, empty at first. */
  TradeView trades();

  @Override
  void close();
}
