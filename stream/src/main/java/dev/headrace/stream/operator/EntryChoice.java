package dev.headrace.stream.operator;

import dev.headrace.api.stream.operator.EntryCondition;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which entries a stream wants: those that a condition accepts, and then each function. Immutable.
 *
 * @param condition null for all entries
 * @param calls the functions that are asked, in order
 */
public record EntryChoice(@Nullable EntryCondition condition, List<FunctionCall> calls) {

  /** All entries. */
  public static final EntryChoice ALL = new EntryChoice(null, List.of());

  /** Copies the list. */
  public EntryChoice {
    calls = List.copyOf(calls);
    if (calls.size() > Operators.MAX_CALLS) {
      throw new IllegalArgumentException(
          "A stream asks at most "
              + Operators.MAX_CALLS
              + " functions, but this one "
              + calls.size()
              + ": make one function of several");
    }
  }

  /** Whether all entries are wanted. */
  public boolean isAll() {
    return condition == null && calls.isEmpty();
  }

  /** These entries, if another condition accepts them, too. */
  public EntryChoice and(EntryCondition more) {
    return new EntryChoice(condition == null ? more : condition.and(more), calls);
  }

  /** These entries, if another function accepts them, too. */
  public EntryChoice and(FunctionCall call) {
    List<FunctionCall> more = new ArrayList<>(calls);
    more.add(call);
    return new EntryChoice(condition, more);
  }
}
