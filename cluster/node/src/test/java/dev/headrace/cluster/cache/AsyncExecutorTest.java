package dev.headrace.cluster.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.Cache;
import dev.headrace.cluster.node.NodeCluster;
import dev.headrace.cluster.node.RecordedLog;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;

/** Where futures are completed and functions run if the user has given an executor. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AsyncExecutorTest {
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private NodeCluster cluster;

  @BeforeAll
  void start() {
    cluster = NodeCluster.of(2);
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  private Cache<String, String> cache(TestInfo test) {
    return cluster.node(0).cache(test.getDisplayName(), String.class, String.class);
  }

  /** The thread that completes a call, while this one runs what the executor gets. */
  private Thread completing(CompletableFuture<?> call) throws InterruptedException {
    CompletableFuture<Thread> thread = call.thenApply(result -> Thread.currentThread());
    while (!thread.isDone()) {
      Runnable task = tasks.poll(60, TimeUnit.SECONDS);
      assertThat(task).as("what the executor was given within a minute").isNotNull();
      task.run();
    }
    return thread.join();
  }

  @Test
  void everyCallEndsOnIt(TestInfo test) throws Exception {
    AsyncCache<String, String> async = cache(test).async().executor(tasks::add);
    for (int i = 0; i < 20; i++) { // keys of both nodes
      String key = "k" + i;
      List<Supplier<CompletableFuture<?>>> calls =
          List.of(
              () -> async.put(key, "v"),
              () -> async.get(key),
              () -> async.getEntry(key),
              () -> async.getAll(List.of(key, "absent")),
              () -> async.containsKey(key),
              () -> async.putAll(Map.of(key, "v")),
              () -> async.getAndPut(key, "v"),
              () -> async.putIfAbsent(key, "v"),
              () -> async.replace(key, "v"),
              () -> async.remove(key, "other"),
              () -> async.compute(key, (k, v) -> v),
              () -> async.merge(key, "w", String::concat),
              () -> async.size());
      for (Supplier<CompletableFuture<?>> call : calls) {
        assertThat(completing(call.get())).isSameAs(Thread.currentThread());
      }
    }
    assertThat(completing(async.removeAll(List.of("k0")))).isSameAs(Thread.currentThread());
    assertThat(completing(async.clear())).isSameAs(Thread.currentThread());
    assertThat(cache(test).size()).isZero();
  }

  @Test
  void functionsRunOnIt(TestInfo test) throws Exception {
    AsyncCache<String, String> async = cache(test).async().executor(tasks::add);
    for (int i = 0; i < 20; i++) {
      CompletableFuture<String> name =
          async.compute("k" + i, (key, value) -> Thread.currentThread().getName());
      completing(name);
      assertThat(name.join()).isEqualTo(Thread.currentThread().getName());
    }
  }

  @Test
  void whatItRefusesTheNodesThreadsDo(TestInfo test) {
    AsyncCache<String, String> async =
        cache(test)
            .async()
            .executor(
                task -> {
                  throw new RejectedExecutionException("full");
                });
    try (RecordedLog log = RecordedLog.of(UserExecutor.class)) {
      for (int i = 0; i < 20; i++) {
        async.put("k" + i, "v").orTimeout(60, TimeUnit.SECONDS).join();
      }
      assertThat(log.warnings()).as("once").hasSize(1);
    }
    assertThat(cache(test).size()).isEqualTo(20);
  }

  @Test
  @SuppressWarnings("NullAway")
  void thereMustBeOne(TestInfo test) {
    AsyncCache<String, String> async = cache(test).async();
    assertThatNullPointerException().isThrownBy(() -> async.executor(null)).withMessage("executor");
  }
}
