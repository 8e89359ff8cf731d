package dev.headrace.rebalance.write.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.message.CallerWindow;
import dev.headrace.rebalance.message.Mutation;
import dev.headrace.rebalance.message.OperationId;
import dev.headrace.rebalance.write.Tables;
import java.util.List;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class CallerResultsTest {

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
    CallerResults results = new CallerResults();
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
        CallerWindow.Result found = results.find(asked);
        assertThat(found == null ? null : found.sequence()).isEqualTo(model.get(asked));
      }
      assertThat(results.size()).isEqualTo(model.size());
    }
  }

  @Test
  void whatLiesBelowTheOldestOutstandingIsForgotten() {
    CallerResults results = new CallerResults();
    results.record(mutation(1, 1, 1));
    results.record(mutation(9, 5, 2));
    assertThat(results.forgotten(1)).isTrue();
    assertThat(results.forgotten(5)).isFalse();
    assertThat(results.find(1)).isNull();
    assertThat(results.find(9).sequence()).isEqualTo(2);
  }

  @Test
  void itNeverKeepsMoreThanItsBound() {
    CallerResults results = new CallerResults();
    for (int i = 1; i <= CallerResults.MAX_RESULTS + 10; i++) {
      results.record(mutation(i, 1, i));
    }
    assertThat(results.size()).isEqualTo(CallerResults.MAX_RESULTS);
    assertThat(results.forgotten(10)).isTrue();
    assertThat(results.find(11)).isNotNull();
  }
}
