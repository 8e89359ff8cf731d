package dev.headrace.stream.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.stream.entry.HashSpace;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class MemoryBudgetTest {
  private static final int SEGMENTS = 4;

  private final MemoryBudget budget = new MemoryBudget(1 << 20);
  private final SegmentStore store =
      new SegmentStore(new HashSpace(SEGMENTS, 7), () -> 0, StoreLimits.DEFAULT, budget);

  @Test
  void whatItCountsIsWhatTheReplicasTake() {
    Random random = new Random(17);
    for (int segment = 0; segment < SEGMENTS; segment++) {
      store.open(segment, 0, ReplicaState.OWNER);
    }
    for (int step = 0; step < 20_000; step++) {
      byte[] key = ("key-" + random.nextInt(500)).getBytes(StandardCharsets.UTF_8);
      long hash = store.space().hash(key);
      Replica replica = replica(store.space().segment(hash));
      long position = store.space().position(hash);
      int what = random.nextInt(1000);
      if (what < 600) {
        int large = random.nextInt(50) == 0 ? 100_000 : 300;
        replica.put(position, key, new byte[random.nextInt(large)], 1, step + 1, 0);
      } else if (what < 990) {
        replica.remove(position, key);
      } else if (what < 995) {
        replica.maintain();
      } else if (what < 998) {
        replica.compact();
      } else if (what < 999) {
        replica.clear();
      } else {
        store.drop(replica.segment());
        store.open(replica.segment(), 1, ReplicaState.OWNER);
      }
      assertThat(budget.usedBytes()).as("after step %d", step).isEqualTo(contentBytes());
    }
    for (int segment = 0; segment < SEGMENTS; segment++) {
      store.drop(segment);
    }
    assertThat(budget.usedBytes()).isZero();
  }

  /** What the arrays of all replicas take, without the replicas themselves. */
  private long contentBytes() {
    long sum = 0;
    for (int segment = 0; segment < SEGMENTS; segment++) {
      Replica replica = replica(segment);
      Segment content = replica.content();
      sum += content == null ? 0 : content.heapBytes();
    }
    return sum;
  }

  private Replica replica(int segment) {
    Replica replica = store.replica(segment);
    if (replica == null) {
      throw new AssertionError("segment " + segment + " is not held");
    }
    return replica;
  }

  @Test
  void aPartOfTheLimitIsKeptBack() {
    assertThat(budget.hasRoom((1 << 20) / 16 * 15)).isTrue();
    assertThat(budget.hasRoom((1 << 20) / 16 * 15 + 1)).isFalse();
    budget.count(1 << 19);
    assertThat(budget.hasRoom(1 << 19)).isFalse();
    assertThat(budget.isTight()).isFalse();
    budget.count(1 << 19);
    assertThat(budget.hasRoom(1)).isFalse();
    assertThat(budget.isTight()).isTrue();
    assertThat(MemoryBudget.unlimited().hasRoom(Long.MAX_VALUE / 2)).isTrue();
    assertThatThrownBy(() -> new MemoryBudget(0)).hasMessageContaining("at least 1");
  }

  @Test
  void whatWasRemovedIsGivenBackWhileMemoryIsTight() {
    Replica replica = store.open(0, 0, ReplicaState.OWNER);
    int entries = 0;
    for (; !budget.isTight(); entries++) {
      byte[] key = ("key-" + entries).getBytes(StandardCharsets.UTF_8);
      replica.put((long) entries << 40, key, new byte[1000], 1, entries + 1, 0);
    }
    long before = budget.usedBytes();
    for (int i = 0; i < entries / 4; i++) {
      replica.remove((long) i << 40, ("key-" + i).getBytes(StandardCharsets.UTF_8));
      replica.maintain();
    }
    while (replica.maintain()) {
      assertThat(budget.usedBytes()).isPositive();
    }
    assertThat(budget.usedBytes()).isLessThan(before * 9 / 10);
  }
}
