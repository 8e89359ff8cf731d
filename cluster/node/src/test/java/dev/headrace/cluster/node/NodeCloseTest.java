package dev.headrace.cluster.node;

import static dev.headrace.cluster.node.Quotes.cache;
import static dev.headrace.cluster.node.Quotes.entries;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.Cache;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.StreamPublisher;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that are closed, or cannot start, leave nothing behind. */
@Timeout(240)
class NodeCloseTest {
  @Test
  void aStreamThatWaitsForOwnersEndsWhenItsNodeCloses() throws Exception {
    try (NodeCluster cluster = new NodeCluster()) {
      cluster.start(settings -> settings.owners(1));
      HeadraceNode client = cluster.start(settings -> settings.owners(1).capacity(0));
      cache(client).putAll(entries());
      CloseableIterator<Map.Entry<String, String>> all =
          cache(client).stream().batchSize(10).entries().iterator();
      all.next();
      cluster.node(0).kill(); // the client sees this only after a while, and waits until then
      ExecutorService threads = Executors.newSingleThreadExecutor();
      try {
        Future<?> reading = threads.submit(() -> all.forEachRemaining(entry -> {}));
        client.kill();
        assertThatThrownBy(() -> reading.get(60, TimeUnit.SECONDS))
            .cause()
            .isInstanceOfAny(NodeClosedException.class, StreamInterruptedException.class);
      } finally {
        threads.shutdownNow();
      }
    }
  }

  @Test
  void everyCloseReturnsWhenTheNodeIsClosed() throws Exception {
    try (NodeCluster cluster = NodeCluster.of(2)) {
      HeadraceNode node = cluster.node(1);
      ExecutorService threads = Executors.newFixedThreadPool(4);
      try {
        List<Callable<Boolean>> closes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          Runnable close = i % 2 == 0 ? node::close : node::kill;
          closes.add(
              () -> {
                close.run();
                return threadsOf("node-1").isEmpty();
              });
        }
        for (Future<Boolean> closed : threads.invokeAll(closes)) {
          assertThat(closed.get()).as("nothing of the node is left").isTrue();
        }
      } finally {
        threads.shutdownNow();
      }
    }
  }

  @Test
  @Timeout(60)
  void aCloseWithALimitGivesUpOnWhatNobodyTakesOver() {
    try (NodeCluster cluster = new NodeCluster()) {
      cluster.start(settings -> settings.owners(1));
      HeadraceNode second = cluster.start(settings -> settings.owners(1));
      cache(second).putAll(entries());
      assertThatThrownBy(() -> second.close(Duration.ofSeconds(-1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("limit must not be negative, but is PT-1S");
      assertThat(cache(second).size()).as("it goes on after that").isEqualTo(entries().size());
      second.close(Duration.ZERO);
      assertThatThrownBy(second::status).isInstanceOf(NodeClosedException.class);
      second.close(Duration.ofSeconds(Long.MAX_VALUE));
    }
  }

  /** Threads of a node's wire and membership; those for user code end when they are idle. */
  private static List<String> threadsOf(String nodeName) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(Thread::isAlive)
        .map(Thread::getName)
        .filter(name -> name.equals("headrace-membership-" + nodeName))
        .toList();
  }

  @Test
  void aTakenDataPortIsNamedAndNothingIsLeftBehind() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        NodeCluster cluster = new NodeCluster()) {
      assertThatThrownBy(
              () ->
                  cluster.start(
                      settings ->
                          settings.nodeName("port-is-taken").dataPort(taken.getLocalPort())))
          .isInstanceOf(HeadraceException.class)
          .hasMessageContaining("dataPort")
          .hasMessageContaining(String.valueOf(taken.getLocalPort()));
      assertThat(threadsOf("port-is-taken")).isEmpty();
    }
  }

  @Test
  void whatWasOpenedBeforeFailsWhenTheNodeIsClosed() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      Cache<String, String> cache = cache(cluster.node(0));
      cache.putAll(entries());
      AsyncCache<String, String> async = cache.async();
      Map<String, String> map = cache.asMap();
      StreamPublisher<String> prepared = cache.stream().batchSize(10).keys();
      CloseableIterator<String> open = prepared.iterator();
      assertThat(open.next()).isNotEmpty();
      cluster.node(0).close();
      assertThatThrownBy(() -> async.get("k").toCompletableFuture().join())
          .hasCauseInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> async.putAll(Map.of("k", "v")).toCompletableFuture().join())
          .hasCauseInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> map.get("k")).isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> map.put("k", "v")).isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(map::size).isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> prepared.iterator().hasNext())
          .isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> open.forEachRemaining(key -> {}))
          .isInstanceOf(NodeClosedException.class);
    }
  }

  @Test
  void aClosedNodeRefusesEverything() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      Cache<String, String> cache = cache(cluster.node(0));
      cache.put("k", "v");
      CloseableIterator<Map.Entry<String, String>> open = cache.iterator();
      cluster.node(0).close();
      cluster.node(0).close();
      assertThatThrownBy(() -> cache.get("k")).isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> cache.put("k", "v")).isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(cache::iterator).isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> cluster.node(0).status()).isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> cache(cluster.node(0))).isInstanceOf(NodeClosedException.class);
      open.close();
    }
  }
}
