package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.error.MemoryFullException;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.cluster.status.OperatorWarnings;
import io.reactivex.rxjava3.core.Flowable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes whose memory for entries is used up. */
@Timeout(240)
final class NodeMemoryTest {
  private static final long LIMIT_BYTES = 4 << 20;
  private static final int VALUE_BYTES = 4096;

  private static Cache<Integer, byte[]> cache(HeadraceNode node) {
    return node.cache("blocks", Integer.class, byte[].class);
  }

  private static int segments(ClusterStatus.Member member) {
    return member.primarySegments() + member.backupSegments();
  }

  private static byte[] value(int key) {
    byte[] value = new byte[VALUE_BYTES];
    value[0] = (byte) key;
    value[VALUE_BYTES - 1] = (byte) (key >> 8);
    return value;
  }

  /** Writes until something is refused, and returns how many were taken. */
  private static int fill(Cache<Integer, byte[]> cache) {
    for (int key = 0; ; key++) {
      try {
        cache.put(key, value(key));
      } catch (MemoryFullException full) {
        assertThat(full)
            .hasMessageContaining("nothing was written")
            .hasMessageContaining("memoryBytes");
        assertThat(cache.get(key)).isNull();
        return key;
      }
    }
  }

  @Test
  void whatDoesNotFitIsRefusedAndEverythingElseGoesOn() {
    try (NodeCluster cluster = NodeCluster.of(3, settings -> settings.memoryBytes(LIMIT_BYTES))) {
      Cache<Integer, byte[]> cache = cache(cluster.node(1));
      int taken = fill(cache);
      long storedBytes = 2L * taken * VALUE_BYTES;
      assertThat(storedBytes).as("most of the memory is used").isGreaterThan(3 * LIMIT_BYTES / 2);
      Map<Integer, Byte> seen = new HashMap<>();
      for (Map.Entry<Integer, byte[]> entry : cache(cluster.node(2))) {
        seen.put(entry.getKey(), entry.getValue()[0]);
      }
      assertThat(seen).hasSize(taken);
      for (int key = 0; key < taken; key++) {
        assertThat(cache.get(key)).isEqualTo(value(key));
      }
      Quotes.await(
          () ->
              cluster.node(0).status().members().stream()
                  .map(ClusterStatus.Member::memory)
                  .allMatch(memory -> memory != null && memory.usedBytes() > LIMIT_BYTES / 2));
      for (ClusterStatus.Member member : cluster.node(0).status().members()) {
        ClusterStatus.Memory memory = member.memory();
        assertThat(memory).isNotNull();
        assertThat(memory.limitBytes()).isEqualTo(LIMIT_BYTES);
        assertThat(memory.usedBytes()).isLessThan(LIMIT_BYTES * 5 / 4);
      }
      for (int key = 0; key < taken / 2; key++) {
        assertThat(cache.remove(key)).isTrue();
      }
      Quotes.await(
          () -> {
            try {
              cache.put(-1, value(-1));
              return true;
            } catch (MemoryFullException full) {
              return false;
            }
          });
    }
  }

  @Test
  void segmentsWaitBeforeANodeWithoutRoomAndItSaysSo() {
    try (NodeCluster cluster = new NodeCluster();
        RecordedLog log = RecordedLog.of(OperatorWarnings.class)) {
      cluster.start(settings -> settings.memoryBytes(16 << 20));
      Cache<Integer, byte[]> cache = cache(cluster.node(0));
      int entries = 2000; // eight megabytes
      for (int key = 0; key < entries; key++) {
        cache.put(key, value(key));
      }
      HeadraceNode small = cluster.start(settings -> settings.memoryBytes(2 << 20));
      Quotes.await(
          () -> log.warnings().stream().anyMatch(text -> text.contains("has no room for it")));
      assertThat(cache(small).get(1)).isEqualTo(value(1));
      assertThat(cache.remove(0)).isTrue();
      int streamed = 0;
      for (Map.Entry<Integer, byte[]> entry : cache(small)) {
        assertThat(entry.getValue()).isEqualTo(value(entry.getKey()));
        streamed++;
      }
      assertThat(streamed).isEqualTo(entries - 1);
      ClusterStatus.Memory memory = small.status().members().get(1).memory();
      assertThat(memory).isNotNull();
      assertThat(memory.usedBytes()).isLessThan(3 << 20);
      cache.clear();
      Quotes.await(() -> segments(cluster.node(0).status().members().get(1)) == 256);
    }
  }

  @Test
  void aWriterIsToldWhichNodeIsFull() {
    try (NodeCluster cluster = new NodeCluster()) {
      cluster.start(settings -> settings.nodeName("large").memoryBytes(16 * LIMIT_BYTES));
      cluster.start(settings -> settings.nodeName("small").memoryBytes(LIMIT_BYTES));
      Quotes.await(
          () ->
              cluster.node(0).status().members().size() == 2
                  && cluster.node(0).status().members().stream()
                      .allMatch(member -> segments(member) > 0));
      HeadraceNode client = cluster.start(settings -> settings.nodeName("client").capacity(0));
      for (HeadraceNode node : List.of(client, cluster.node(0), cluster.node(1))) {
        assertThat(firstRefusal(cache(node)).fullNode())
            .as("to %s", node.status().members())
            .isEqualTo("small");
      }
      assertThat(firstRefusal(cache(client)))
          .hasMessageContaining("has an owner without room for the entry: small");
    }
  }

  private static MemoryFullException firstRefusal(Cache<Integer, byte[]> cache) {
    for (int key = 0; ; key++) {
      try {
        cache.put(key, value(key));
      } catch (MemoryFullException full) {
        return full;
      }
    }
  }

  @Test
  void aBulkWriteThatDoesNotFitIsRefusedToo() {
    try (NodeCluster cluster = new NodeCluster()) {
      cluster.start(settings -> settings.memoryBytes(LIMIT_BYTES));
      Cache<Integer, byte[]> cache = cache(cluster.node(0));
      Map<Integer, byte[]> many = new HashMap<>();
      for (int key = 0; key < 2000; key++) {
        many.put(key, value(key));
      }
      assertThatThrownBy(() -> cache.putAll(many)).isInstanceOf(MemoryFullException.class);
    }
  }

  @Test
  void everyNodeTellsOfItsStreamsAndBuffers() {
    try (NodeCluster cluster = new NodeCluster()) {
      cluster.start(settings -> settings.streamMemoryBytes(5 << 20));
      HeadraceNode client = cluster.start(settings -> settings.capacity(0));
      Quotes.await(
          () ->
              client.status().members().stream().allMatch(member -> member.streamMemory() != null));
      ClusterStatus.Member data = client.status().members().get(0);
      assertThat(data.streamMemory()).isEqualTo(new ClusterStatus.StreamMemory(5 << 20, 0, 0, 0));
      assertThat(client.status().security()).isEqualTo("none");
      client.cache("c", String.class, String.class).put("k", "v");
      Quotes.await(() -> cluster.node(0).status().members().get(0).bufferBytes() > 0);
    }
  }

  /** An operation on many entries that does not fit is divided: what fits of them is written. */
  @Test
  void aLoadThatDoesNotFitReportsEachEntryThatHadNoRoom() throws Exception {
    int count = 60_000;
    try (NodeCluster cluster = NodeCluster.of(3, settings -> settings.memoryBytes(LIMIT_BYTES))) {
      Cache<Integer, byte[]> cache = cache(cluster.node(1));
      IngestReport report =
          cache
              .load(Flowable.range(0, count).map(key -> Map.entry(key, new byte[200])))
              .get(120, TimeUnit.SECONDS);
      assertThat(report.written()).isPositive();
      assertThat(report.failed()).isEqualTo(count - report.written()).isPositive();
      assertThat(report.failedRecords())
          .allSatisfy(
              failed -> {
                assertThat(failed.cause()).isInstanceOf(MemoryFullException.class);
                assertThat(failed.key()).isNotNull();
                assertThat(cache.get((Integer) failed.key())).isNull();
              });
      assertThat(cache.size()).isEqualTo(report.written());
    }
  }
}
