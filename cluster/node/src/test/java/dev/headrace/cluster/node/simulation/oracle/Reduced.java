package dev.headrace.cluster.node.simulation.oracle;

import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.operator.EntryFunction;
import dev.headrace.api.stream.operator.Expressions;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.cluster.node.simulation.World;
import io.reactivex.rxjava3.core.Flowable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The content as nodes make something else of it, which must have each entry once: groups, one for
 * each key; the text that a function joins of all entries; or rows.
 */
final class Reduced {
  /** Text of an entry; what it has made of several is joined. */
  static final FunctionName<String, String> TEXTS =
      FunctionName.of("texts", Codecs.string(), Codecs.string());

  /** Instead of a value that was not asked for; nobody writes it. */
  static final Integer PRESENT = Integer.MIN_VALUE;

  private static final String DIVIDER = "=";
  private static final String JOINT = ";";

  private Reduced() {}

  /** What nodes know as {@link #TEXTS}. */
  static EntryFunction<String, Integer, String, String> texts() {
    return (key, value, divider) -> key + divider + value;
  }

  static String joined(String one, String other) {
    return one + JOINT + other;
  }

  /** The keys that are there, with their values or {@link #PRESENT}. */
  static CompletionStage<Map<String, Integer>> content(
      World world, CacheStream<String, Integer> stream) {
    return switch (world.time.random.nextInt(3)) {
      case 0 ->
          unlessInterrupted(
              world,
              stream.groupBy(Expressions.key(), String.class).count().toCompletionStage(),
              counts -> groups(world, counts));
      case 1 ->
          unlessInterrupted(
              world,
              stream.reduce(TEXTS, DIVIDER, Reduced::joined).toCompletionStage(),
              text -> text.map(all -> entries(world, all)).orElse(Map.of()));
      default ->
          unlessInterrupted(
              world,
              Flowable.fromPublisher(stream.select(Expressions.key()))
                  .map(row -> String.valueOf(row.get("key")))
                  .toList()
                  .toCompletionStage(),
              keys -> rows(world, keys));
    };
  }

  private static Map<String, Integer> groups(World world, Map<String, Long> counts) {
    Map<String, Integer> content = new LinkedHashMap<>();
    counts.forEach(
        (key, count) -> {
          world.check(count == 1, () -> key + " was counted " + count + " times");
          content.put(key, PRESENT);
        });
    return content;
  }

  private static Map<String, Integer> entries(World world, String all) {
    Map<String, Integer> content = new LinkedHashMap<>();
    for (String text : all.split(JOINT, -1)) {
      int divider = text.lastIndexOf(DIVIDER);
      String key = text.substring(0, divider);
      Integer value = Integer.valueOf(text.substring(divider + 1));
      once(world, key, content.put(key, value) == null);
    }
    return content;
  }

  private static Map<String, Integer> rows(World world, List<String> keys) {
    Map<String, Integer> content = new LinkedHashMap<>();
    keys.forEach(key -> once(world, key, content.put(key, PRESENT) == null));
    return content;
  }

  private static void once(World world, String key, boolean first) {
    world.check(first, () -> key + " came twice");
  }

  /** What is interrupted has failed, as a read does that finds no owner. */
  private static <R, S> CompletionStage<S> unlessInterrupted(
      World world, CompletionStage<R> made, Function<R, S> content) {
    CompletableFuture<S> all = new CompletableFuture<>();
    var unused =
        made.whenComplete(
            (result, failure) -> {
              Throwable cause =
                  failure instanceof CompletionException ? failure.getCause() : failure;
              if (cause instanceof StreamInterruptedException interrupted) {
                boolean lost =
                    interrupted.segments().stream()
                        .anyMatch(segment -> world.dangers().mayBeLost().get(segment));
                world.check(
                    lost || world.streamsMayFail(),
                    () -> "a reduction failed without need: " + cause);
                all.completeExceptionally(new UnavailableException(cause.toString()));
              } else if (cause != null) {
                all.completeExceptionally(cause);
              } else {
                all.complete(content.apply(result));
              }
            });
    return all;
  }
}
