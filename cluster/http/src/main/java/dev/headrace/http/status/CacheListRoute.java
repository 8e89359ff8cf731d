package dev.headrace.http.status;

import dev.headrace.api.Headrace;
import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Verb;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Lists the caches of the cluster with their sizes and formats. */
public final class CacheListRoute {
  private final Headrace node;

  /** The caches of a node's cluster. */
  public CacheListRoute(Headrace node) {
    this.node = node;
  }

  /** The route. */
  public Route route() {
    return Route.of(Verb.GET, "/v1/caches", this::answer);
  }

  private CompletionStage<HttpReply> answer(HttpCall call) {
    call.query().allowOnly(Set.of());
    return node.caches()
        .thenApply(
            report ->
                HttpReply.text(
                        200,
                        "application/json",
                        Json.object(json -> ClusterJson.caches(json, report, false)))
                    .with("cache-control", "no-store"));
  }
}
