package dev.headrace.cluster.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.error.EntryTooLargeException;
import dev.headrace.api.error.JoinRefusedException;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.cluster.node.NodeCluster;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** One limit holds in a cluster: that of the nodes that store the entries. */
@Timeout(240)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EntrySizeTest {
  private static final int LIMIT_BYTES = 1 << 20;

  private NodeCluster cluster;

  @BeforeAll
  void start() {
    cluster = new NodeCluster();
    cluster.start(settings -> settings.maxEntryBytes(LIMIT_BYTES));
    cluster.start(settings -> settings.maxEntryBytes(64 * LIMIT_BYTES).capacity(0));
    cluster.start(settings -> settings.maxEntryBytes(1).capacity(0));
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  @Test
  void aDataNodeWithAnotherLimitIsRefused() {
    assertThatThrownBy(() -> cluster.start(settings -> settings.maxEntryBytes(2 * LIMIT_BYTES)))
        .isInstanceOf(JoinRefusedException.class)
        .hasMessageContaining("maxEntryBytes 2097152")
        .hasMessageContaining("start it with 1048576");
  }

  @Test
  void aClientWithALargerLimitIsToldWhatTheNodesTake() {
    HeadraceNode client = cluster.node(1);
    Cache<byte[], byte[]> cache = client.cache("large", byte[].class, byte[].class);
    byte[] key = {1};
    byte[] tooLarge = new byte[16 * LIMIT_BYTES];
    byte[] fits = new byte[LIMIT_BYTES - 1];
    List<ThrowingCallable> calls =
        List.of(
            () -> cache.put(key, tooLarge),
            () -> cache.putAll(Map.of(key, tooLarge)),
            () -> cache.compute(key, (k, v) -> tooLarge),
            () -> cache.replace(key, tooLarge, fits),
            () -> cache.remove(key, tooLarge),
            () -> cache.get(tooLarge),
            () -> cache.remove(tooLarge));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(EntryTooLargeException.class)
          .hasMessageContaining("more than maxEntryBytes of the cluster (1048576)");
    }
    cache.put(key, fits);
    assertThat(cache.get(key)).hasSize(fits.length);
  }

  @Test
  void aClientWithASmallerLimitHandlesWhatTheNodesTake() {
    Cache<Integer, byte[]> cache = cluster.node(2).cache("larger", Integer.class, byte[].class);
    byte[] value = new byte[LIMIT_BYTES / 2];
    cache.put(1, value);
    assertThat(cache.getAndPut(1, value)).hasSize(value.length);
    try (CloseableIterator<Map.Entry<Integer, byte[]>> entries =
        cache.stream().entries().iterator()) {
      assertThat(entries.next().getValue()).hasSize(value.length);
    }
  }
}
