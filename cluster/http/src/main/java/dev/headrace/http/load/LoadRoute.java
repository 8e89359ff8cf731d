package dev.headrace.http.load;

import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.cache.OpenCaches;
import dev.headrace.http.exchange.BodyIntake;
import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Verb;
import dev.headrace.http.export.ExportRoute;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** Loads entries into a cache. Thread-safe. */
public final class LoadRoute {
  /** Each holds {@link LoadRequest#SINK_BYTES} and a record or two. */
  private static final int MOST_AT_A_TIME = 16;

  private final OpenCaches caches;
  private final int lineBytes;
  private final RecordBudget budget;
  private final AtomicInteger running = new AtomicInteger();

  /** Loads a node's caches. */
  public LoadRoute(HeadraceNode node, OpenCaches caches) {
    this.caches = caches;
    // JSON may take some times the bytes of what it stands for; more than that is no entry.
    long most = 2L * node.settings().maxEntryBytes() + 1024;
    this.lineBytes = (int) Math.min(most, Integer.MAX_VALUE - 64);
    this.budget = new RecordBudget(Math.max(lineBytes, Runtime.getRuntime().maxMemory() / 16));
  }

  /** The route. */
  public Route route() {
    return Route.taking(Verb.POST, ExportRoute.PATH, this::open);
  }

  private CompletionStage<BodyIntake> open(HttpCall head) {
    LoadRequest request = LoadRequest.of(head);
    String name = head.variable("name");
    return caches
        .findOrMake(name, "string", "string", (keys, values) -> {})
        .thenApply(cache -> intake(name, cache, request));
  }

  private BodyIntake intake(String name, OpenCache cache, LoadRequest request) {
    if (!cache.keys().isKnown() || !cache.values().isKnown()) {
      throw new ProblemException(
          409,
          "The cache has keys of %s and values of %s, which are not text; load it in Java"
              .formatted(cache.keys().format(), cache.values().format()));
    }
    if (running.incrementAndGet() > MOST_AT_A_TIME) {
      running.decrementAndGet();
      throw new ProblemException(
              503, MOST_AT_A_TIME + " loads are under way; try again when one has ended")
          .with("retry-after", "1");
    }
    try {
      LoadIntake intake =
          request.intake(cache, lineBytes, budget, failure -> caches.failed(name, failure));
      var unused = intake.reply().whenComplete((reply, failure) -> running.decrementAndGet());
      return intake;
    } catch (RuntimeException | Error e) { // the node was closed in between, for example
      running.decrementAndGet();
      throw e;
    }
  }
}
