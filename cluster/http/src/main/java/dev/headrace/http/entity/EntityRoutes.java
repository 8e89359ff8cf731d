package dev.headrace.http.entity;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.error.UnavailableException;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Puts, gets and deletes entities. Thread-safe.
 *
 * <p>A write that succeeds is held by all owners of its segment, and every owner that may answer
 * shows all acknowledged writes. So asking several of them would tell nothing new, and {@code ack}
 * is about how many there are: too few owners, before or after, are <i>not enough replicas</i>. A
 * write may then have happened, as in the course.
 */
public final class EntityRoutes {
  /** The cache that holds the entities. */
  public static final String CACHE = "entities";

  private static final String PATH = "/v0/entity";
  private static final String KEY_FORMAT = "string";
  private static final String VALUE_FORMAT = "bytes";

  private final HeadraceNode node;
  private final OpenCaches caches;

  /** Routes to the entities of a node's cluster. */
  public EntityRoutes(HeadraceNode node, OpenCaches caches) {
    this.node = node;
    this.caches = caches;
  }

  /** The routes. */
  public List<Route> routes() {
    return List.of(
        Route.of(Verb.GET, PATH, this::get),
        Route.of(Verb.PUT, PATH, this::put),
        Route.of(Verb.DELETE, PATH, this::delete));
  }

  private CompletionStage<HttpReply> put(HttpCall call) {
    return whole(
        call, key -> entities(call).put(key, call.body()).thenApply(nothing -> HttpReply.of(201)));
  }

  private CompletionStage<HttpReply> get(HttpCall call) {
    return whole(
        call,
        key ->
            entities(call)
                .get(key)
                .thenApply(
                    value ->
                        value == null
                            ? HttpReply.of(404)
                            : HttpReply.of(200, "application/octet-stream", value)));
  }

  private CompletionStage<HttpReply> delete(HttpCall call) {
    return whole(call, key -> entities(call).remove(key).thenApply(removed -> HttpReply.of(202)));
  }

  private CompletionStage<HttpReply> whole(
      HttpCall call, Function<byte[], CompletableFuture<HttpReply>> operation) {
    byte[] key = key(call, "id").getBytes(StandardCharsets.UTF_8);
    AskedReplicas replicas = AskedReplicas.of(call, node.view().table().effectiveOwners());
    if (node.view().owners(key) < replicas.ack()) {
      return CompletableFuture.completedFuture(notEnough());
    }
    return operation
        .apply(key)
        .whenComplete((reply, failure) -> caches.failed(CACHE, failure))
        .handle(
            (reply, failure) -> failure == null ? enough(key, replicas, reply) : failed(failure));
  }

  private HttpReply enough(byte[] key, AskedReplicas replicas, HttpReply reply) {
    return node.view().owners(key) < replicas.ack() ? notEnough() : reply;
  }

  private static HttpReply failed(Throwable failure) {
    Throwable cause = failure;
    if (failure instanceof CompletionException && failure.getCause() != null) {
      cause = failure.getCause();
    }
    if (cause instanceof UnavailableException || cause instanceof OutcomeUnknownException) {
      return notEnough();
    }
    throw cause instanceof HeadraceException fault ? fault : new CompletionException(cause);
  }

  private static HttpReply notEnough() {
    return HttpReply.of(504, "Not Enough Replicas");
  }

  /** The value of a parameter that must be there and not empty. */
  static String key(HttpCall call, String name) {
    String value = call.query().value(name);
    if (value == null || value.isEmpty()) {
      throw new ProblemException(400, "The parameter " + name + " is missing or empty");
    }
    return value;
  }

  /** Replies are a few instructions here, so they are made where they are sent from. */
  private AsyncCache<byte[], byte[]> entities(HttpCall call) {
    return open(caches).bytes().async().executor(call.loop());
  }

  /**
   * The cache of the entities.
   *
   * @throws ProblemException 409 if it is known to have other formats than entities
   */
  static OpenCache open(OpenCaches caches) {
    OpenCache kept = caches.kept(CACHE);
    if (kept == null) {
      return caches.open(CACHE, KEY_FORMAT, VALUE_FORMAT);
    }
    String keys = kept.keys().format();
    String values = kept.values().format();
    if (!keys.equals(KEY_FORMAT) || !values.equals(VALUE_FORMAT)) {
      throw new ProblemException(
          409,
          "Entities are strings and bytes, but the cache \"%s\" has keys of %s and values of %s: read it below /v1/caches, or remove it"
              .formatted(CACHE, keys, values));
    }
    return kept;
  }
}
