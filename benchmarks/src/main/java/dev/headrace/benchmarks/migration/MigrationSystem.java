package dev.headrace.benchmarks.migration;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What can be measured side by side. */
enum MigrationSystem {
  /** This project. */
  HEADRACE,
  /**
   * This project with another publisher: one migration per epoch, and after each one a full image
   * to every member.
   */
  FULL_TABLE,
  /** Hazelcast, members embedded. */
  HAZELCAST;

  /** The name in commands and results. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Arguments that its JVM needs beside the heap. All members live in one JVM, so that a collector
   * that stops it would stop them all at once, which no cluster has to fear. It is the better one
   * of both systems.
   */
  static List<String> jvmArguments() {
    return List.of("-XX:+UseZGC");
  }

  /** Starts the first node of a cluster. */
  GrowingCluster found(JoinCase shape) {
    return switch (this) {
      case HEADRACE -> HeadraceCluster.found(shape, false);
      case FULL_TABLE -> HeadraceCluster.found(shape, true);
      case HAZELCAST -> HazelcastCluster.found(shape);
    };
  }

  /** The version that runs. */
  String version() {
    return this == HAZELCAST ? HazelcastCluster.version() : HeadraceCluster.version();
  }

  static MigrationSystem of(String label) {
    return Arrays.stream(values())
        .filter(system -> system.label().equals(label))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("Unknown system " + label));
  }

  static List<String> labels() {
    return Arrays.stream(values()).map(MigrationSystem::label).toList();
  }
}
