package dev.headrace.stream.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.EntryTooLargeException;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.Projection;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class SegmentStoreTest {

  @Test
  void anEntryAtTheLimitIsStoredAndOneAboveItIsRefusedAndDisturbsNothing() {
    OneSegment segment =
        new OneSegment(new HashSpace(1, 1), new StoreLimits(200), ByteBuffer.allocate(1000));
    int header = (int) EntryLayout.entryBytes(1, 150, 3, 1, 0) - 151;
    String atLimit = "v".repeat(199 - header);
    assertThat(segment.put("a", atLimit)).isTrue();
    assertThat(segment.store.bytes()).isEqualTo(200);
    assertThatThrownBy(() -> segment.put("a", atLimit + "v"))
        .isInstanceOf(EntryTooLargeException.class)
        .hasMessageContaining("201 bytes for segment 0")
        .hasMessageContaining("limit of 200")
        .hasMessageContaining("split the value or raise the limit");
    assertThat(segment.get("a")).isEqualTo(atLimit);
  }

  @Test
  void emptyKeysAndEmptyValuesAreLegal() {
    OneSegment segment = new OneSegment();
    segment.put("", "");
    segment.put("a", "");
    assertThat(segment.get("")).isEmpty();
    assertThat(segment.scanKeys(1, Projection.ENTRIES)).containsExactlyInAnyOrder("", "a");
  }

  @Test
  void aSegmentIsAbsentUntilItIsOpenedAndAfterItIsDropped() {
    SegmentStore store = new SegmentStore(new HashSpace(4, 1), () -> 0, StoreLimits.DEFAULT);
    assertThat(store.replica(2)).isNull();
    Replica opened = store.open(2, 5, ReplicaState.COPYING);
    assertThat(store.replica(2)).isSameAs(opened);
    assertThat(opened.incarnation()).isEqualTo(5);
    assertThat(opened.state()).isEqualTo(ReplicaState.COPYING);
    assertThat(store.drop(2)).isTrue();
    assertThat(store.drop(2)).isFalse();
    assertThat(store.replica(2)).isNull();
    assertThat(opened.state()).isEqualTo(ReplicaState.ABSENT);
  }

  @Test
  void openingASegmentAgainDropsTheReplicaThatWasThere() {
    OneSegment segment = new OneSegment();
    segment.put("a", "1");
    Replica before = segment.replica;
    segment.replica = segment.store.open(0, 8, ReplicaState.OWNER);
    assertThat(segment.get("a")).isNull();
    assertThatThrownBy(() -> before.remove(segment.position("a"), OneSegment.bytes("a")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("segment 0 of incarnation 7 has been dropped");
  }

  @Test
  void entriesAndBytesAreCountedOverAllSegments() {
    SegmentStore store = new SegmentStore(new HashSpace(16, 1), () -> 0, StoreLimits.DEFAULT);
    for (int i = 0; i < 16; i++) {
      store.open(i, 0, ReplicaState.OWNER);
    }
    for (int i = 0; i < 1000; i++) {
      byte[] key = OneSegment.bytes("key" + i);
      long hash = store.space().hash(key);
      store
          .replica(store.space().segment(hash))
          .put(store.space().position(hash), key, new byte[9], 1, 1, 0);
    }
    assertThat(store.entries()).isEqualTo(1000);
    assertThat(store.bytes()).isEqualTo(10 * 17L + 90 * 18L + 900 * 19L);
    store.replica(3).clear();
    assertThat(store.replica(3).entries()).isZero();
    assertThat(store.entries()).isBetween(850L, 980L);
  }

  @Test
  void twoMutationsAtATimeAreNoticed() {
    OneSegment segment = new OneSegment();
    segment.put("a", "1");
    long stamp = segment.replica.content().lock.writeLock();
    assertThatThrownBy(() -> segment.put("a", "2"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("two mutations of a segment ran at the same time");
    segment.replica.content().lock.unlockWrite(stamp);
    assertThat(segment.get("a")).isEqualTo("1");
  }
}
