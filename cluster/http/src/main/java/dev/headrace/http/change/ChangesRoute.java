package dev.headrace.http.change;

import dev.headrace.api.Headrace;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.stream.ChangeStream;
import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.cache.OpenCaches;
import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Verb;
import dev.headrace.http.export.ActiveStreams;
import java.util.BitSet;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** Tells what changes in a cache. Thread-safe. */
public final class ChangesRoute {
  /** The path. */
  public static final String PATH = "/v1/caches/{name}/changes";

  private static final String MEDIA_TYPE = "text/event-stream";

  private final Headrace node;
  private final OpenCaches caches;
  private final ActiveStreams streams;

  /** Changes of a node's caches. */
  public ChangesRoute(Headrace node, OpenCaches caches, ActiveStreams streams) {
    this.node = node;
    this.caches = caches;
    this.streams = streams;
  }

  /** The route. */
  public Route route() {
    return Route.of(Verb.GET, PATH, this::answer);
  }

  private CompletionStage<HttpReply> answer(HttpCall call) {
    int segments = node.status().segments();
    ChangesRequest request = ChangesRequest.of(call, segments);
    String name = call.variable("name");
    return caches
        .find(name)
        .thenApply(cache -> reply(name, cache, request, segments, call.verb() == Verb.HEAD));
  }

  private HttpReply reply(
      String name, OpenCache cache, ChangesRequest request, int segments, boolean headersOnly) {
    if (!cache.keys().isKnown() || !cache.values().isKnown()) {
      throw new ProblemException(
          409,
          "The cache has keys of %s and values of %s, which are not text; read it in Java"
              .formatted(cache.keys().format(), cache.values().format()));
    }
    ChangeStream<byte[], byte[]> prepared = prepared(cache, request);
    if (headersOnly) {
      return HttpReply.headersOfStreamed(200, MEDIA_TYPE).with("cache-control", "no-store");
    }
    BitSet chosen = request.segments();
    return streams.serve(
        name,
        chosen == null ? segments : chosen.cardinality(),
        place ->
            HttpReply.streamed(
                    200,
                    MEDIA_TYPE,
                    new ChangesBody(
                        prepared,
                        new ChangeEvents(cache),
                        request.everyId(),
                        place,
                        failure -> caches.failed(name, failure)))
                .with("cache-control", "no-store"));
  }

  private static ChangeStream<byte[], byte[]> prepared(OpenCache cache, ChangesRequest request) {
    ChangeStream<byte[], byte[]> stream =
        cache.bytes().changes().batchBytes(ChangesBody.BATCH_BYTES);
    if (request.content()) {
      stream = stream.withContent();
    }
    if (request.previous()) {
      stream = stream.withPrevious();
    }
    if (request.latest()) {
      stream = stream.latestOnly();
    }
    if (request.segments() != null) {
      stream = stream.segments(request.segments().stream().boxed().collect(Collectors.toSet()));
    }
    if (request.resume() == null) {
      return stream;
    }
    try {
      return stream.resumeFrom(request.resume());
    } catch (HeadraceException e) {
      throw new ProblemException(400, String.valueOf(e.getMessage()), e);
    }
  }
}
