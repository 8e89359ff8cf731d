package dev.headrace.http.cache;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.Cache;
import dev.headrace.api.CacheEntry;
import dev.headrace.api.stream.EntryVersion;
import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Verb;
import dev.headrace.http.text.TextForm;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Reads, writes and removes single entries. Thread-safe. */
public final class EntryRoutes {
  /** The path of an entry. */
  public static final String PATH = "/v1/caches/{name}/entries/{key}";

  private static final int ATTEMPTS = 16;

  private final OpenCaches caches;

  /** Routes to these caches. */
  public EntryRoutes(OpenCaches caches) {
    this.caches = caches;
  }

  /** The routes. */
  public List<Route> routes() {
    return List.of(
        Route.of(Verb.GET, PATH, this::get),
        Route.of(Verb.PUT, PATH, this::put),
        Route.of(Verb.DELETE, PATH, this::delete));
  }

  private CompletionStage<HttpReply> get(HttpCall call) {
    call.query().allowOnly(Set.of());
    EntityTags match = EntityTags.parse(call.header("if-match"), false);
    EntityTags noneMatch = EntityTags.parse(call.header("if-none-match"), true);
    String name = call.variable("name");
    return watched(
        name,
        caches
            .find(name)
            .thenCompose(
                cache ->
                    cache
                        .bytes()
                        .async()
                        .getEntry(key(call, cache.keys()))
                        .thenApply(entry -> found(call, cache, entry, match, noneMatch))));
  }

  private static HttpReply found(
      HttpCall call,
      OpenCache cache,
      @Nullable CacheEntry<byte[], byte[]> entry,
      @Nullable EntityTags match,
      @Nullable EntityTags noneMatch) {
    if (match != null && !match.match(entry == null ? null : entry.version())) {
      throw preconditionFailed();
    }
    if (entry == null) {
      throw absent();
    }
    boolean known = noneMatch != null && noneMatch.match(entry.version());
    MediaType form = MediaType.accepted(call.header("accept"), cache.values());
    HttpReply reply =
        known
            ? HttpReply.of(304)
            : HttpReply.of(200, form.header(), form.write(entry.value(), cache.values()));
    reply
        .with("etag", EntityTags.tag(entry.version()))
        .with("cache-control", "no-cache")
        .with("vary", "Accept");
    Instant expiry = entry.expiry();
    return expiry == null ? reply : reply.with("headrace-expires", expiry.toString());
  }

  private CompletionStage<HttpReply> put(HttpCall call) {
    call.query().allowOnly(Set.of("lifespan"));
    Duration lifespan = LifespanParameter.of(call);
    EntityTags match = EntityTags.parse(call.header("if-match"), false);
    EntityTags noneMatch = EntityTags.parse(call.header("if-none-match"), true);
    String name = call.variable("name");
    OpenCaches.checkWritable(name);
    if (noneMatch != null && (!noneMatch.any() || match != null)) {
      throw new ProblemException(
          400, "A PUT takes If-Match, or If-None-Match: *, which writes only if there is nothing");
    }
    return watched(
        name,
        (match == null ? findOrMake(name, call) : findToChange(name))
            .thenCompose(
                cache -> {
                  byte[] key = key(call, cache.keys());
                  byte[] value = value(call, cache.values());
                  Write write = new Write(cache.bytes().async(), key, value, lifespan);
                  if (noneMatch != null) {
                    return write.ifAbsent();
                  }
                  return match == null ? write.always() : write.ifMatch(match, ATTEMPTS);
                }));
  }

  private CompletableFuture<OpenCache> findOrMake(String name, HttpCall call) {
    boolean raw = MediaType.named(call.header("content-type")) == MediaType.RAW;
    return caches.findOrMake(
        name,
        "string",
        raw ? "bytes" : "string",
        (keys, values) ->
            caches.checkSize(name, key(call, keys).length, value(call, values).length));
  }

  /** The cache of an entry that must be there, and is not if there is no cache. */
  private CompletableFuture<OpenCache> findToChange(String name) {
    return caches
        .findOrNull(name)
        .thenApply(
            cache -> {
              if (cache == null) {
                throw preconditionFailed();
              }
              return cache;
            });
  }

  /** One entry to be written. */
  @SuppressWarnings("ArrayRecordComponent") // Handed over, never compared.
  private record Write(
      AsyncCache<byte[], byte[]> cache, byte[] key, byte[] value, @Nullable Duration lifespan) {

    CompletableFuture<HttpReply> always() {
      return (lifespan == null ? cache.put(key, value) : cache.put(key, value, lifespan))
          .thenApply(nothing -> HttpReply.of(204));
    }

    CompletableFuture<HttpReply> ifAbsent() {
      return (lifespan == null
              ? cache.putIfAbsent(key, value)
              : cache.putIfAbsent(key, value, lifespan))
          .thenApply(
              written -> {
                if (!written) {
                  throw preconditionFailed();
                }
                return HttpReply.of(201);
              });
    }

    CompletableFuture<HttpReply> ifMatch(EntityTags match, int attempts) {
      if (!match.any() && match.versions().size() == 1) {
        return replace(match.versions().get(0))
            .thenApply(written -> written ? HttpReply.of(204) : HttpReply.of(412))
            .thenApply(EntryRoutes::orFailed);
      }
      return cache
          .getEntry(key)
          .thenCompose(
              entry -> {
                if (entry == null || !match.match(entry.version())) {
                  throw preconditionFailed();
                }
                return replace(entry.version())
                    .thenCompose(written -> written ? done() : again(match, attempts));
              });
    }

    private CompletableFuture<Boolean> replace(EntryVersion version) {
      return lifespan == null
          ? cache.replaceIfVersion(key, version, value)
          : cache.replaceIfVersion(key, version, value, lifespan);
    }

    private CompletableFuture<HttpReply> again(EntityTags match, int attempts) {
      if (attempts == 0) {
        throw contended();
      }
      return ifMatch(match, attempts - 1);
    }
  }

  private CompletionStage<HttpReply> delete(HttpCall call) {
    call.query().allowOnly(Set.of());
    EntityTags match = EntityTags.parse(call.header("if-match"), false);
    String name = call.variable("name");
    OpenCaches.checkWritable(name);
    return watched(
        name,
        caches
            .find(name)
            .thenCompose(
                cache -> {
                  byte[] key = key(call, cache.keys());
                  if (match != null) {
                    return removeIfMatch(cache.bytes(), key, match, ATTEMPTS);
                  }
                  return cache
                      .bytes()
                      .async()
                      .remove(key)
                      .thenApply(
                          removed -> {
                            if (!removed) {
                              throw absent();
                            }
                            return HttpReply.of(204);
                          });
                }));
  }

  private static CompletableFuture<HttpReply> removeIfMatch(
      Cache<byte[], byte[]> cache, byte[] key, EntityTags match, int attempts) {
    AsyncCache<byte[], byte[]> async = cache.async();
    return async
        .getEntry(key)
        .thenCompose(
            entry -> {
              if (entry == null || !match.match(entry.version())) {
                throw preconditionFailed();
              }
              return async
                  .removeIfVersion(key, entry.version())
                  .thenCompose(
                      removed -> {
                        if (removed) {
                          return done();
                        }
                        if (attempts == 0) {
                          throw contended();
                        }
                        return removeIfMatch(cache, key, match, attempts - 1);
                      });
            });
  }

  private static byte[] value(HttpCall call, TextForm values) {
    return MediaType.sent(call.header("content-type"), values).read(call.body(), values);
  }

  private static byte[] key(HttpCall call, TextForm keys) {
    if (!keys.isKnown()) {
      throw new ProblemException(
          409,
          "The keys of this cache are of the format %s, which cannot be written in a URL"
              .formatted(keys.format()));
    }
    try {
      return keys.parseText(call.variable("key"));
    } catch (IllegalArgumentException e) {
      throw new ProblemException(
          400, "The key is none of " + keys.format() + ": " + e.getMessage(), e);
    }
  }

  /** Has a cache opened anew next time if its formats are no longer what they were. */
  private CompletableFuture<HttpReply> watched(String name, CompletableFuture<HttpReply> reply) {
    return reply.whenComplete((done, failure) -> caches.failed(name, failure));
  }

  private static CompletableFuture<HttpReply> done() {
    return CompletableFuture.completedFuture(HttpReply.of(204));
  }

  private static HttpReply orFailed(HttpReply reply) {
    if (reply.status() == 412) {
      throw preconditionFailed();
    }
    return reply;
  }

  private static ProblemException preconditionFailed() {
    return new ProblemException(
        412, "The entry is not as the condition wants it; nothing was changed: read it again");
  }

  private static ProblemException absent() {
    return new ProblemException(404, "There is no entry with this key");
  }

  private static ProblemException contended() {
    return new ProblemException(503, "Others write this entry all the time; nothing was changed")
        .with("retry-after", "1");
  }
}
