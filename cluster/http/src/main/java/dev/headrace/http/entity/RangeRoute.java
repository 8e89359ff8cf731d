package dev.headrace.http.entity;

import dev.headrace.api.stream.Delivery;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.cache.OpenCaches;
import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Verb;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Streams the entities of which this node has a replica, in the order of their keys. */
public final class RangeRoute {
  /** Each holds some megabytes. */
  private static final int MOST_AT_A_TIME = 4;

  private static final String MEDIA_TYPE = "application/octet-stream";

  private final HeadraceNode node;
  private final OpenCaches caches;
  private final AtomicInteger running = new AtomicInteger();

  /** Ranges of the entities on a node. */
  public RangeRoute(HeadraceNode node, OpenCaches caches) {
    this.node = node;
    this.caches = caches;
  }

  /** The route. */
  public Route route() {
    return Route.of(Verb.GET, "/v0/entities", this::answer);
  }

  private CompletionStage<HttpReply> answer(HttpCall call) {
    byte[] start = EntityRoutes.key(call, "start").getBytes(StandardCharsets.UTF_8);
    String until = call.query().value("end");
    byte @Nullable [] end =
        until == null || until.isEmpty() ? null : until.getBytes(StandardCharsets.UTF_8);
    List<Integer> owned = node.view().ownedSegments();
    if (owned.isEmpty()) {
      return CompletableFuture.completedFuture(HttpReply.of(200, MEDIA_TYPE, new byte[0]));
    }
    OpenCache entities = EntityRoutes.open(caches);
    if (running.incrementAndGet() > MOST_AT_A_TIME) {
      running.decrementAndGet();
      throw new ProblemException(
              503, MOST_AT_A_TIME + " ranges are being read; try again when one has ended")
          .with("retry-after", "1");
    }
    RangeBody body =
        new RangeBody(
            () ->
                entities.bytes().stream()
                    .segments(Set.copyOf(owned))
                    .delivery(Delivery.EXACTLY_ONCE)
                    .entries(),
            start,
            end,
            running::decrementAndGet);
    return CompletableFuture.completedFuture(HttpReply.streamed(200, MEDIA_TYPE, body));
  }
}
