package dev.headrace.testkit;

import dev.headrace.api.Discovery;
import dev.headrace.api.NodeSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Where the nodes of one cluster find each other and nobody else does: a name and a folder.
 *
 * @param clusterName the name of the cluster
 * @param folder a temporary folder
 */
record MeetingPoint(String clusterName, Path folder) {

  static MeetingPoint create() {
    try {
      return new MeetingPoint(
          "test-" + UUID.randomUUID(), Files.createTempDirectory("headrace-test"));
    } catch (IOException e) {
      throw new UncheckedIOException("No temporary folder can be made for the nodes to meet", e);
    }
  }

  NodeSettings.Builder settings(String nodeName) {
    return NodeSettings.builder()
        .clusterName(clusterName)
        .nodeName(nodeName)
        .discovery(new Discovery.Local(folder.toString()))
        .shutdownHook(false);
  }

  void remove() {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot remove " + folder, e);
    }
  }
}
