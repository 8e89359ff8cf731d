package dev.headrace.cluster.node;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.error.UnavailableException;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Random reads and writes from all nodes, each checked against what may be seen of its key. */
final class SimulatedWorkload {
  static final CacheSettings<String, Integer> CACHE =
      CacheSettings.of("simulated", String.class, Integer.class);

  private final SimulatedCluster cluster;
  private final SimulatedTime time;
  private final Map<String, KeyHistory> histories = new HashMap<>();
  private int lastValue;
  int outstanding;
  int unknown;

  SimulatedWorkload(SimulatedCluster cluster) {
    this.cluster = cluster;
    this.time = cluster.time;
  }

  static Cache<String, Integer> cacheOn(SimulatedNode node) {
    return node.engine.open(CACHE);
  }

  KeyHistory history(String key) {
    return histories.computeIfAbsent(key, KeyHistory::new);
  }

  Set<String> keys() {
    return histories.keySet();
  }

  /** A key that is written once and then left alone. */
  void putStable(SimulatedNode node, String key) {
    put(node, key);
  }

  /** One random operation on one of some keys. */
  void operate(SimulatedNode node, String key) {
    Random random = time.random;
    switch (random.nextInt(6)) {
      case 0, 1 -> put(node, key);
      case 2 -> remove(node, key);
      case 3 -> putIfAbsent(node, key);
      case 4 -> increment(node, key);
      default -> get(node, key);
    }
  }

  void get(SimulatedNode node, String key) {
    long start = time.nanoTime();
    AsyncCache<String, Integer> cache = cacheOn(node).async();
    watch(
        node,
        cache.get(key),
        value -> history(key).seen(value, start, time.nanoTime(), "get on " + node.id),
        null);
  }

  private void put(SimulatedNode node, String key) {
    int value = ++lastValue;
    KeyHistory.Write write = history(key).begin(value, time.nanoTime());
    watch(node, cacheOn(node).async().put(key, value), done -> acknowledge(write), write);
  }

  private void remove(SimulatedNode node, String key) {
    KeyHistory.Write write = history(key).begin(null, time.nanoTime());
    watch(node, cacheOn(node).async().remove(key), present -> acknowledge(write), write);
  }

  private void putIfAbsent(SimulatedNode node, String key) {
    int value = ++lastValue;
    long start = time.nanoTime();
    KeyHistory.Write write = history(key).begin(value, start);
    watch(
        node,
        cacheOn(node).async().putIfAbsent(key, value),
        present -> {
          if (present == null) {
            acknowledge(write);
          } else {
            write.refused();
            history(key).seen(present, start, time.nanoTime(), "putIfAbsent on " + node.id);
          }
        },
        write);
  }

  /** A computation: its function may run more than once, but only one result may stay. */
  private void increment(SimulatedNode node, String key) {
    long start = time.nanoTime();
    Map<Integer, KeyHistory.Write> tried = new HashMap<>();
    CompletionStage<@Nullable Integer> stage =
        cacheOn(node)
            .async()
            .compute(
                key,
                (same, present) -> {
                  tried.values().forEach(KeyHistory.Write::refused);
                  history(key).seen(present, start, time.nanoTime(), "compute on " + node.id);
                  int next = ++lastValue;
                  tried.put(next, history(key).begin(next, time.nanoTime()));
                  return next;
                });
    watch(
        node,
        stage,
        value -> {
          KeyHistory.Write write = tried.get(value);
          if (write == null) {
            throw new AssertionError("compute returned " + value + ", which it never computed");
          }
          acknowledge(write);
        },
        null);
  }

  private void acknowledge(KeyHistory.Write write) {
    write.acknowledged(time.nanoTime());
  }

  private <R> void watch(
      SimulatedNode node,
      CompletionStage<R> stage,
      Consumer<@Nullable R> check,
      KeyHistory.@Nullable Write write) {
    Pending pending = new Pending(node);
    outstanding++;
    pending.giveUpWithNode();
    stage
        .whenComplete(
            (result, error) -> {
              pending.end();
              Throwable cause = error instanceof CompletionException ? error.getCause() : error;
              if (cause == null) {
                check.accept(result);
              } else if (cause instanceof UnavailableException) {
                if (write != null) {
                  write.refused();
                }
              } else if (cause instanceof OutcomeUnknownException) {
                unknown++;
              } else {
                cluster.fail(cause);
              }
            })
        .whenComplete(
            (result, error) -> {
              if (error instanceof AssertionError
                  || (error instanceof CompletionException
                      && error.getCause() instanceof AssertionError)) {
                cluster.fail(error);
              }
            });
  }

  /** An operation whose node may crash, after which nobody waits for it any more. */
  private final class Pending {
    private final SimulatedNode node;
    private boolean ended;

    Pending(SimulatedNode node) {
      this.node = node;
    }

    void end() {
      if (!ended) {
        ended = true;
        outstanding--;
      }
    }

    void giveUpWithNode() {
      time.schedule(
          50_000_000,
          () -> {
            if (!node.alive) {
              end();
            } else if (!ended) {
              giveUpWithNode();
            }
          });
    }
  }
}
