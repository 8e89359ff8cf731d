package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.Discovery;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A cluster of two nodes in this process, which commands join through a folder. */
final class TwoNodes implements AutoCloseable {
  private final String cluster;
  private final Path meeting;
  private final List<Headrace> nodes;

  private TwoNodes(String cluster, Path meeting, List<Headrace> nodes) {
    this.cluster = cluster;
    this.meeting = meeting;
    this.nodes = nodes;
  }

  /** Starts nodes "one" and "two", and writes something, so that caches are noted. */
  static TwoNodes start(Path meeting) {
    return start(meeting, settings -> settings);
  }

  /** The same with other settings. */
  static TwoNodes start(Path meeting, UnaryOperator<NodeSettings.Builder> change) {
    String cluster = "test-" + UUID.randomUUID();
    List<Headrace> nodes =
        Stream.of("one", "two")
            .map(
                name ->
                    Headrace.start(
                        change
                            .apply(
                                NodeSettings.builder()
                                    .clusterName(cluster)
                                    .nodeName(name)
                                    .discovery(new Discovery.Local(meeting.toString())))
                            .build()))
            .toList();
    nodes.get(0).cache("first", String.class, String.class).put("key", "value");
    return new TwoNodes(cluster, meeting, nodes);
  }

  String cluster() {
    return cluster;
  }

  /** Opens a cache as an application does, and waits until the cluster knows of it. */
  <K, V> Cache<K, V> open(CacheSettings<K, V> settings) {
    Cache<K, V> cache = nodes.get(0).cache(settings);
    while (!isNoted(settings.name())) {
      LockSupport.parkNanos(1_000_000);
    }
    return cache;
  }

  private boolean isNoted(String cache) {
    return nodes.get(0).caches().join().cache(cache).stream()
        .anyMatch(known -> known.keyFormat() != null);
  }

  /** Runs a command against the cluster, which must succeed. */
  CommandRun run(String... args) {
    CommandRun command = new CommandRun();
    assertThat(command.run(inCluster(args))).as(command.err()).isZero();
    return command;
  }

  /** Arguments with those that name the cluster. */
  String[] inCluster(String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--cluster", cluster, "--folder", meeting.toString()));
    return all.toArray(String[]::new);
  }

  @Override
  public void close() {
    nodes.forEach(Headrace::close);
  }
}
