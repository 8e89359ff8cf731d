package dev.headrace.api.stream.operator;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reductions of a stream whose entries are grouped by a part of them. Entries whose part is null
 * are a group of their own, whose key in the result is null. Immutable; results belong to the
 * caller.
 *
 * @param <G> what the entries are grouped by
 */
public interface GroupedReductions<G> {

  /** The most groups of a result unless set: 100,000. */
  int DEFAULT_MAX_GROUPS = 100_000;

  /**
   * The most groups of a result, which is held in memory.
   *
   * @param groups at least 1; with more, the reduction fails with a {@link
   *     dev.headrace.api.error.TooManyGroupsException}
   */
  GroupedReductions<G> maxGroups(int groups);

  /** How many entries each group has. */
  Reduction<Map<G, Long>> count();

  /**
   * Sum, least, greatest and mean of a number in each group.
   *
   * @throws IllegalArgumentException if there is no such number
   */
  Reduction<Map<G, FieldSummary>> summarize(Operand number);

  /** The sum of a number in each group; see {@link FieldSummary#sum}. */
  default Reduction<Map<G, Number>> sum(String field) {
    return each(field, FieldSummary::sum);
  }

  /** The least number in each group that has any. */
  default Reduction<Map<G, Number>> min(String field) {
    return each(field, FieldSummary::least);
  }

  /** The greatest number in each group that has any. */
  default Reduction<Map<G, Number>> max(String field) {
    return each(field, FieldSummary::greatest);
  }

  /** The mean of the numbers in each group that has any. */
  default Reduction<Map<G, Double>> avg(String field) {
    return each(field, summary -> summary.numbers() == 0 ? null : summary.average().getAsDouble());
  }

  private <T> Reduction<Map<G, T>> each(String field, Function<FieldSummary, @Nullable T> result) {
    return summarize(Expressions.field(field))
        .map(
            groups -> {
              Map<G, T> results = new LinkedHashMap<>();
              groups.forEach(
                  (group, summary) -> {
                    T of = result.apply(summary);
                    if (of != null) {
                      results.put(group, of);
                    }
                  });
              return results;
            });
  }
}
