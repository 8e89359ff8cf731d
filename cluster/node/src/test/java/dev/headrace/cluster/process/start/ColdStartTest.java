package dev.headrace.cluster.process.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.cluster.membership.FreePorts;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes of this process that start together; {@link ColdStarts} does the same with processes. */
@Timeout(300)
final class ColdStartTest {
  private static final int NODES = 5;
  private static final long LIMIT_SECONDS = 60;

  private final String cluster = "cold-" + UUID.randomUUID();
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void nodesThatStartTogetherByHostsAreOneCluster(int named) throws Exception {
    List<Integer> ports = FreePorts.some(NODES);
    startTogether(ports, "hosts", hosts(ports.subList(0, named)));
  }

  @Test
  void nodesThatStartTogetherByTheFolderAreOneCluster() throws Exception {
    startTogether(List.of(0, 0, 0, 0, 0), "folder", folder.toString());
  }

  /** Each writes as soon as it has started; everybody reads everything in the end. */
  private void startTogether(List<Integer> ports, String kind, String where) throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    List<CompletableFuture<Headrace>> starts =
        IntStream.range(0, NODES)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          awaitLatch(go);
                          Headrace node = start("n" + i, ports.get(i), kind, where);
                          cache(node).put("n" + i, "written by n" + i);
                          return node;
                        },
                        task -> new Thread(task, "start-" + i).start()))
            .toList();
    go.countDown();
    try {
      List<Headrace> nodes = new ArrayList<>();
      for (CompletableFuture<Headrace> start : starts) {
        nodes.add(start.get(LIMIT_SECONDS, TimeUnit.SECONDS));
      }
      for (Headrace node : nodes) {
        assertThat(node.status().members()).hasSize(NODES);
        for (int i = 0; i < NODES; i++) {
          assertThat(cache(node).get("n" + i)).isEqualTo("written by n" + i);
        }
      }
    } finally {
      starts.forEach(ColdStartTest::close);
    }
  }

  /** Closes the node as soon as it has started. If it does not, whoever asks for it is told. */
  private static void close(CompletableFuture<Headrace> start) {
    Headrace node = start.exceptionally(failure -> null).join();
    if (node != null) {
      node.close();
    }
  }

  @Test
  void aNodeThatIsNotNamedFoundsNothingAndTellsWhatItSaw() throws Exception {
    List<Integer> ports = FreePorts.some(2);
    assertThatThrownBy(
            () ->
                Headrace.start(
                    ColdStartNode.settings(
                            "n1", cluster, ports.get(1), "hosts", hosts(ports.subList(0, 1)))
                        .toBuilder()
                        .joinTimeout(Duration.ofSeconds(3))
                        .build()))
        .isInstanceOf(HeadraceException.class)
        .hasMessageContaining("127.0.0.1:" + ports.get(0) + " refuses connections")
        .hasMessageContaining("only a node that Discovery.hosts lists founds a cluster");
  }

  @Test
  void aHostThatAcceptsConnectionsAndDoesNotAnswerIsNamed() throws Exception {
    List<Integer> ports = FreePorts.some(1);
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String where = hosts(List.of(ports.get(0), silent.getLocalPort()));
      assertThatThrownBy(
              () ->
                  Headrace.start(
                      ColdStartNode.settings("n0", cluster, ports.get(0), "hosts", where)
                          .toBuilder()
                          .joinTimeout(Duration.ofSeconds(4))
                          .build()))
          .isInstanceOf(HeadraceException.class)
          .hasMessageContaining(
              "127.0.0.1:" + silent.getLocalPort() + " accepts connections but has not answered");
    }
  }

  /** The named one cannot know the others, which know it. */
  @Test
  void theOnlyNamedNodeComesBackToTheOthers() throws Exception {
    List<Integer> ports = FreePorts.some(3);
    String where = hosts(ports.subList(0, 1));
    Headrace named = start("n0", ports.get(0), "hosts", where);
    try (Headrace second = start("n1", ports.get(1), "hosts", where);
        Headrace third = start("n2", ports.get(2), "hosts", where)) {
      cache(second).put("k", "v");
      named.close();
      try (Headrace again = start("n0", ports.get(0), "hosts", where)) {
        assertThat(cache(again).get("k")).isEqualTo("v");
        assertThat(third.status().members()).hasSize(3);
      }
    }
  }

  /** Both list the other one only, as some do. */
  @Test
  void nodesThatNameEachOtherAreOneCluster() throws Exception {
    List<Integer> ports = FreePorts.some(2);
    CompletableFuture<Headrace> first =
        CompletableFuture.supplyAsync(
            () -> start("n0", ports.get(0), "hosts", hosts(ports.subList(1, 2))),
            task -> new Thread(task, "start-0").start());
    try (Headrace second = start("n1", ports.get(1), "hosts", hosts(ports.subList(0, 1)))) {
      cache(first.get(LIMIT_SECONDS, TimeUnit.SECONDS)).put("k", "v");
      assertThat(cache(second).get("k")).isEqualTo("v");
    } finally {
      close(first);
    }
  }

  private Headrace start(String name, int port, String kind, String where) {
    return Headrace.start(ColdStartNode.settings(name, cluster, port, kind, where));
  }

  private static Cache<String, String> cache(Headrace node) {
    return node.cache("first", String.class, String.class);
  }

  private static String hosts(List<Integer> ports) {
    return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
