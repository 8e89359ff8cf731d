package dev.headrace.replication.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.replication.lane.Tables;
import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.OperationId;
import dev.headrace.replication.message.ResultWindow;
import java.util.List;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ClientResultsTest {

  private static Mutation mutation(long callerSequence, long oldest, long sequence) {
    return new Mutation(
        1,
        sequence,
        new OperationId(Tables.node(0), callerSequence, oldest),
        Mutation.Change.NONE,
        new byte[0],
        null,
        0,
        false,
        null,
        0,
        0,
        0);
  }

  @Property(tries = 300)
  void itKnowsWhatAMapWouldKnow(
      @ForAll @Size(max = 200) List<@LongRange(min = 1, max = 60) Long> offsets) {
    ClientResults results = new ClientResults(new ResultMemory());
    TreeMap<Long, Long> model = new TreeMap<>();
    long oldest = 1;
    long sequence = 0;
    for (long offset : offsets) {
      long number = oldest + offset;
      if (offset % 7 == 0) {
        oldest += 5;
      }
      if (number >= oldest && !model.containsKey(number)) {
        results.record(mutation(number, oldest, ++sequence));
        model.put(number, sequence);
        model.headMap(oldest).clear();
      }
      for (long asked = oldest - 3; asked < oldest + 70; asked++) {
        ResultWindow.Result found = results.find(asked);
        assertThat(found == null ? null : found.sequence()).isEqualTo(model.get(asked));
      }
      assertThat(results.size()).isEqualTo(model.size());
    }
  }

  @Test
  void whatLiesBelowTheOldestOutstandingIsForgotten() {
    ClientResults results = new ClientResults(new ResultMemory());
    results.record(mutation(1, 1, 1));
    results.record(mutation(9, 5, 2));
    assertThat(results.forgotten(1)).isTrue();
    assertThat(results.forgotten(5)).isFalse();
    assertThat(results.find(1)).isNull();
    assertThat(results.find(9).sequence()).isEqualTo(2);
  }

  @Test
  void itNeverKeepsMoreThanItsBound() {
    ClientResults results = new ClientResults(new ResultMemory());
    for (int i = 1; i <= ClientResults.MAX_RESULTS + 10; i++) {
      results.record(mutation(i, 1, i));
    }
    assertThat(results.size()).isEqualTo(ClientResults.MAX_RESULTS);
    assertThat(results.forgotten(10)).isTrue();
    assertThat(results.find(11)).isNotNull();
  }

  private static Mutation removal(long callerSequence, long oldest, int previousBytes) {
    return new Mutation(
        1,
        callerSequence,
        new OperationId(Tables.node(0), callerSequence, oldest),
        Mutation.Change.REMOVE,
        new byte[0],
        null,
        0,
        true,
        new byte[previousBytes],
        0,
        0,
        0);
  }

  @Test
  void itTakesMemoryForWhatItKeepsOnly() {
    ResultMemory node = new ResultMemory();
    ResultMemory cache = node.ofCache();
    ClientResults results = new ClientResults(cache);
    for (int i = 1; i <= 100; i++) {
      results.record(removal(i, Math.max(1, i - 9), 1000));
    }
    assertThat(results.size()).isEqualTo(10);
    assertThat(node.bytes()).isEqualTo(cache.bytes()).isBetween(10_000L, 12_000L);
    results.forgetBelow(101);
    assertThat(node.bytes()).isZero();
    assertThat(results.forgotten(100)).as("it is not carried out again").isTrue();
    results.record(removal(101, 101, 1000));
    results.clear();
    assertThat(cache.bytes()).isZero();
    assertThat(node.bytes()).isZero();
  }

  @Test
  void valuesAreTheFirstToGoWhenMemoryIsFull() {
    ResultMemory node = new ResultMemory(10_000);
    ClientResults one = new ClientResults(node.ofCache());
    ClientResults other = new ClientResults(node.ofCache());
    for (int i = 1; i <= 9; i++) {
      one.record(removal(i, 1, 1000));
    }
    other.record(removal(1, 1, 1000));
    assertThat(one.find(9).previous()).hasSize(1000);
    assertThat(other.find(1).complete()).isFalse();
    assertThat(other.find(1).previous()).isNull();
    assertThat(other.find(1).applied()).isTrue();
    for (int i = 2; i <= 1000; i++) {
      other.record(removal(i, 1, 1000));
    }
    assertThat(node.bytes()).isLessThanOrEqualTo(10_000);
    assertThat(other.find(1000)).as("the newest is always known").isNotNull();
    assertThat(other.forgotten(1)).isTrue();
  }
}
