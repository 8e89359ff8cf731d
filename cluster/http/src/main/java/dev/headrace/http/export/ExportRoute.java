package dev.headrace.http.export;

import dev.headrace.api.Headrace;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.api.stream.operator.Operand;
import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.cache.OpenCaches;
import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Verb;
import dev.headrace.http.expression.EntrySelection;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

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
    CacheStream<byte[], byte[]> prepared = prepared(cache, request);
    BitSet chosen = request.selection().segments();
    int asked = chosen == null ? segments : chosen.cardinality();
    if (request.select() == null) {
      if (!request.form().isBinary()) {
        requireKnown(cache);
      }
      return answer(
          request,
          headersOnly,
          new Source<>(
              name,
              asked,
              request.form().entries(cache),
              wanted(cache, request.selection()),
              (listener, executor) -> heard(prepared, listener, executor).entries()));
    }
    if (!request.selection().isPrefixOnNodes(cache)) {
      throw new ProblemException(
          400, "select and prefix go together for keys that are strings; use filter instead");
    }
    List<Operand> parts = EntrySelection.parts("select", request.select(), cache);
    Operand[] operands = parts.toArray(Operand[]::new);
    checkSelection(prepared, operands);
    return answer(
        request,
        headersOnly,
        new Source<>(
            name,
            asked,
            request.form().writer(RowText.of(parts, cache)),
            row -> true,
            (listener, executor) -> heard(prepared, listener, executor).select(operands)));
  }

  private static CacheStream<byte[], byte[]> heard(
      CacheStream<byte[], byte[]> prepared, StreamListener listener, @Nullable Executor executor) {
    CacheStream<byte[], byte[]> heard = prepared.listener(listener);
    return executor == null ? heard : heard.executor(executor);
  }

  /**
   * What a response is made of.
   *
   * @param cache the cache's name
   * @param segments how many of its segments are read
   * @param writer writes elements
   * @param wanted whether an element is wanted
   * @param stream makes the stream
   */
  private record Source<T>(
      String cache,
      int segments,
      ElementWriter<T> writer,
      Predicate<T> wanted,
      ExportBody.Source<T> stream) {}

  private <T> HttpReply answer(ExportRequest request, boolean headersOnly, Source<T> source) {
    if (headersOnly) {
      return headers(HttpReply.headersOfStreamed(200, request.form().mediaType()), request);
    }
    return streams.serve(
        source.cache(),
        source.segments(),
        place ->
            headers(
                HttpReply.streamed(
                    200,
                    request.form().mediaType(),
                    new ExportBody<>(
                        request,
                        source.writer(),
                        source.wanted(),
                        place.figures(),
                        source.stream(),
                        failure -> {
                          place.leave();
                          caches.failed(source.cache(), failure);
                        })),
                request));
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
    EntrySelection selection = request.selection();
    CacheStream<byte[], byte[]> stream =
        selection.of(cache, cache.bytes().stream().batchBytes(ExportBody.BATCH_BYTES));
    if (request.limit() < CacheStream.DEFAULT_BATCH_SIZE && selection.isPrefixOnNodes(cache)) {
      // A page ends where a batch does, so that its token is exact.
      stream = stream.sequential().batchSize((int) request.limit());
    }
    if (request.seconds() > 0) {
      stream = stream.deadline(Duration.ofSeconds(request.seconds()));
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

  /** The stream refuses what it cannot select; the client is told before anything is sent. */
  private static void checkSelection(CacheStream<byte[], byte[]> stream, Operand[] parts) {
    try {
      var unused = stream.select(parts);
    } catch (IllegalArgumentException e) {
      throw EntrySelection.problem("select", e);
    }
  }

  /** What the nodes do not choose themselves. */
  private static Predicate<Map.Entry<byte[], byte[]>> wanted(
      OpenCache cache, EntrySelection selection) {
    if (selection.isPrefixOnNodes(cache)) {
      return entry -> true;
    }
    if (!cache.keys().isKnown()) {
      throw new ProblemException(409, "The keys of this cache are not text; leave prefix out");
    }
    return entry -> cache.keys().text(entry.getKey()).startsWith(selection.prefix());
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
