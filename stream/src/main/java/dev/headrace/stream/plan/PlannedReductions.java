package dev.headrace.stream.plan;

import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.api.stream.operator.FieldSummary;
import dev.headrace.api.stream.operator.GroupedReductions;
import dev.headrace.api.stream.operator.Operand;
import dev.headrace.api.stream.operator.Reduction;
import dev.headrace.stream.operator.OperatorCompiler;
import dev.headrace.stream.operator.OperatorCompiler.Part;
import dev.headrace.stream.operator.ReductionResult;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The reductions of a planned stream. Immutable.
 *
 * @param partials makes the publisher of partial results of a group and a number, either of which
 *     may be null
 * @param compiler finds parts of entries
 * @param cache the cache's name, for messages
 */
record PlannedReductions(
    BiFunction<@Nullable Part, @Nullable Part, StreamPublisher<byte[]>> partials,
    OperatorCompiler compiler,
    String cache) {

  Reduction<Long> count() {
    return reduction(
        partials.apply(null, null),
        () -> new ReductionResult(null, 1, cache),
        ReductionResult::count);
  }

  Reduction<FieldSummary> summarize(Operand operand) {
    Part number = compiler.number(operand);
    return reduction(
        partials.apply(null, number),
        () -> new ReductionResult(number, 1, cache),
        ReductionResult::summary);
  }

  private static <R> Reduction<R> reduction(
      StreamPublisher<byte[]> partials,
      Supplier<ReductionResult> results,
      Function<ReductionResult, R> finisher) {
    return new PlannedReduction<>(partials, () -> new Finished<>(results.get(), finisher));
  }

  private record Finished<R>(ReductionResult all, Function<ReductionResult, R> finisher)
      implements Combination<R> {
    @Override
    public void add(byte[] partial) {
      all.add(partial);
    }

    @Override
    public R result() {
      return finisher.apply(all);
    }
  }

  /** A reduction whose partial results are combined anew whenever it is asked for. */
  record PlannedReduction<R>(
      StreamPublisher<byte[]> partials, Supplier<? extends Combination<R>> combinations)
      implements Reduction<R> {

    @Override
    public CompletableFuture<R> toCompletionStage() {
      return ReductionRun.begin(partials, combinations.get());
    }

    @Override
    public R get() {
      Combination<R> combination = combinations.get();
      try (CloseableIterator<byte[]> all = partials.iterator()) {
        while (all.hasNext()) {
          combination.add(all.next());
        }
      }
      return combination.result();
    }
  }

  <G> GroupedReductions<G> groupBy(Operand operand, Class<G> type) {
    Part group = compiler.decodable(operand);
    requireType(group, operand, type);
    if (type.isPrimitive() || type.isArray()) {
      throw new IllegalArgumentException(
          "Groups cannot be keys of a map as "
              + type.getSimpleName()
              + ": name the wrapper of a primitive type, and group by no array");
    }
    return new Grouped<>(this, group, type, GroupedReductions.DEFAULT_MAX_GROUPS);
  }

  /** Checks that a part may be of a type, as far as its type is known. */
  static void requireType(Part part, Operand operand, Class<?> type) {
    Class<?> known = part.type();
    if (known != null && !known.isPrimitive() && !type.isAssignableFrom(known)) {
      throw new IllegalArgumentException(
          "\""
              + operand
              + "\" is a "
              + known.getSimpleName()
              + " and not a "
              + type.getSimpleName());
    }
  }

  private record Grouped<G>(PlannedReductions plan, Part group, Class<G> type, int groups)
      implements GroupedReductions<G> {

    @Override
    public GroupedReductions<G> maxGroups(int most) {
      if (most < 1) {
        throw new IllegalArgumentException("maxGroups must be at least 1, but is " + most);
      }
      return new Grouped<>(plan, group, type, most);
    }

    @Override
    public Reduction<Map<G, Long>> count() {
      return reduction(
          plan.partials().apply(group, null),
          () -> new ReductionResult(null, groups, plan.cache()),
          result -> result.counts(group.codec(), type));
    }

    @Override
    public Reduction<Map<G, FieldSummary>> summarize(Operand operand) {
      Part number = plan.compiler().number(operand);
      return reduction(
          plan.partials().apply(group, number),
          () -> new ReductionResult(number, groups, plan.cache()),
          result -> result.summaries(group.codec(), type));
    }
  }
}
