package dev.headrace.http.export;

import dev.headrace.api.Headrace;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.cache.OpenCaches;
import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Verb;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.infinispan.commons.util.IntSets;

/** Streams the content of a cache. Thread-safe. */
public final class ExportRoute {
  /** The path. */
  public static final String PATH = "/v1/caches/{name}/entries";

  private final Headrace node;
  private final OpenCaches caches;
  private final ActiveStreams streams;

  /** Streams of a node's caches. */
  public ExportRoute(Headrace node, OpenCaches caches, ActiveStreams streams) {
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
    ExportRequest request = ExportRequest.of(call, segments);
    String name = call.variable("name");
    return caches
        .find(name)
        .thenApply(cache -> reply(name, cache, request, segments, call.verb() == Verb.HEAD));
  }

  private HttpReply reply(
      String name, OpenCache cache, ExportRequest request, int segments, boolean headersOnly) {
    if (!request.form().isBinary()) {
      requireKnown(cache);
    }
    Predicate<byte[]> wanted = wanted(cache, request);
    CacheStream<byte[], byte[]> prepared = prepared(cache, request);
    if (headersOnly) {
      return headers(HttpReply.of(200).with("content-type", request.form().mediaType()), request);
    }
    streams.enter();
    StreamFigures figures =
        streams.show(
            name, request.segments() == null ? segments : request.segments().cardinality());
    ExportBody body =
        new ExportBody(
            request,
            request.form().writer(cache),
            wanted,
            figures,
            listener -> prepared.listener(listener).entries(),
            () -> {
              streams.hide(figures);
              streams.leave();
            });
    return headers(HttpReply.streamed(200, request.form().mediaType(), body), request);
  }

  private static HttpReply headers(HttpReply reply, ExportRequest request) {
    reply
        .with("cache-control", "no-store")
        .with("vary", "Accept, Accept-Encoding")
        .with("trailer", "Headrace-Complete, Headrace-Resume");
    return request.coding() == null
        ? reply
        : reply.with("content-encoding", request.coding().token());
  }

  private static CacheStream<byte[], byte[]> prepared(OpenCache cache, ExportRequest request) {
    CacheStream<byte[], byte[]> stream = cache.bytes().stream().batchBytes(ExportBody.BATCH_BYTES);
    if (request.segments() != null) {
      stream = stream.segments(IntSets.from(request.segments().stream().iterator()));
    }
    if (request.limit() < CacheStream.DEFAULT_BATCH_SIZE && request.prefix().isEmpty()) {
      // A page ends where a batch does, so that its token is exact.
      stream = stream.sequential().batchSize((int) request.limit());
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

  private static Predicate<byte[]> wanted(OpenCache cache, ExportRequest request) {
    String prefix = request.prefix();
    if (prefix.isEmpty()) {
      return key -> true;
    }
    if (cache.keys().format().equals("string")) {
      byte[] bytes = request.prefixBytes();
      return key ->
          key.length >= bytes.length && Arrays.equals(key, 0, bytes.length, bytes, 0, bytes.length);
    }
    if (!cache.keys().isKnown()) {
      throw new ProblemException(409, "The keys of this cache are not text; leave prefix out");
    }
    return key -> cache.keys().text(key).startsWith(prefix);
  }

  private static void requireKnown(OpenCache cache) {
    if (!cache.keys().isKnown() || !cache.values().isKnown()) {
      throw new ProblemException(
          409,
          "The cache has keys of %s and values of %s, which only the form binary can send"
              .formatted(cache.keys().format(), cache.values().format()));
    }
  }
}
