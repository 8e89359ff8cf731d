package dev.headrace.http.status;

import dev.headrace.api.ClusterStatus;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.cluster.node.NodeView;
import dev.headrace.cluster.node.ReadyState;
import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Verb;
import dev.headrace.http.export.ActiveStreams;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What a node knows of its cluster, and whether it is alive and ready. */
public final class ClusterRoutes {
  private static final String JSON = "application/json";

  private final HeadraceNode node;
  private final ActiveStreams streams;
  private final ReadyState ready;

  /** Routes of a node. */
  public ClusterRoutes(HeadraceNode node, ActiveStreams streams, ReadyState ready) {
    this.node = node;
    this.streams = streams;
    this.ready = ready;
  }

  /** The routes. */
  public List<Route> routes() {
    return List.of(
        Route.of(Verb.GET, "/v1/cluster", this::cluster),
        Route.of(Verb.GET, "/v1/cluster/table", this::table),
        Route.open(Verb.GET, "/health/live", this::live),
        Route.open(Verb.GET, "/health/ready", this::ready));
  }

  private CompletionStage<HttpReply> cluster(HttpCall call) {
    call.query().allowOnly(Set.of());
    ClusterStatus status = node.status();
    return json(
        200,
        Json.object(
            json -> {
              ClusterJson.cluster(json, status);
              ClusterJson.moves(json, status);
              ClusterJson.members(json, status.members());
              ClusterJson.streams(json, streams.all(), status.segments());
            }));
  }

  private CompletionStage<HttpReply> table(HttpCall call) {
    call.query().allowOnly(Set.of());
    NodeView view = node.view();
    return json(200, Json.object(json -> ClusterJson.table(json, view)));
  }

  private CompletionStage<HttpReply> live(HttpCall call) {
    try {
      var unused = node.view();
      return json(200, "{\"live\":true}");
    } catch (NodeClosedException e) {
      return json(503, "{\"live\":false}");
    }
  }

  private CompletionStage<HttpReply> ready(HttpCall call) {
    @Nullable String because;
    try {
      because = ready.unreadyBecause();
    } catch (NodeClosedException e) {
      because = "The node was closed";
    }
    // Everybody may ask, so why not is told to those who may see the cluster.
    return because == null ? json(200, "{\"ready\":true}") : json(503, "{\"ready\":false}");
  }

  private static CompletionStage<HttpReply> json(int status, String text) {
    return CompletableFuture.completedFuture(
        HttpReply.text(status, JSON, text).with("cache-control", "no-store"));
  }
}
