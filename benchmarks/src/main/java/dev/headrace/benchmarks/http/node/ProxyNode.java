package dev.headrace.benchmarks.http.node;

import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Router;
import dev.headrace.http.exchange.Verb;
import dev.headrace.http.server.AccessRules;
import dev.headrace.http.server.HttpPort;
import dev.headrace.http.server.PortLimits;
import dev.headrace.http.server.PortListener;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A node that keeps its part of the entities in a map and proxies requests for those of others by
 * the JDK's HTTP client, as nodes of the key-value course do. Only for comparison. Thread-safe.
 *
 * <p>It stands behind Headrace's own port, so that the two differ in what is between nodes. An
 * entity is kept by the {@value #OWNERS} nodes that rendezvous hashing names for its key. The
 * contract is the course's: {@code ack} of {@code from} owners have to answer, by default a
 * majority; a write goes to all owners, a read to as many as have to answer, this node first if it
 * is one of them; the newest version wins. There is no repair, and nobody joins or leaves.
 */
final class ProxyNode implements AutoCloseable {
  private static final int OWNERS = 2;
  private static final String PATH = "/v0/entity";
  private static final String BETWEEN_NODES = "/between/entity";
  private static final String VERSION = "version";
  private static final Stored ABSENT = new Stored(-1, new byte[0]);

  private final NodePlace place;
  private final Map<String, Stored> part = new ConcurrentHashMap<>();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final HttpPort port;

  /** A value, or that there is none, with the time of its write. */
  @SuppressWarnings("ArrayRecordComponent") // Handed over, never compared.
  private record Stored(long version, byte[] value) {}

  ProxyNode(NodePlace place) {
    this.place = place;
    List<Route> routes =
        List.of(
            Route.of(Verb.GET, PATH, this::get),
            Route.of(Verb.PUT, PATH, this::put),
            Route.of(Verb.GET, BETWEEN_NODES, this::getOwn),
            Route.of(Verb.PUT, BETWEEN_NODES, this::putOwn));
    port =
        new HttpPort(
            "127.0.0.1",
            place.httpPort(),
            Math.max(1, Runtime.getRuntime().availableProcessors() / 2), // as Headrace has
            "proxy-" + place.index() + "-http",
            new HttpPort.Parts(
                new Router(routes),
                new AccessRules(null, false, true, Set.of(), Set.of()),
                limits(),
                new Unheard(),
                null,
                false));
  }

  private static PortLimits limits() {
    Duration minute = Duration.ofMinutes(1);
    return new PortLimits(
        1024, 1 << 20, 64 << 20, 64 << 20, minute, minute, minute, minute, minute);
  }

  // ---- For clients

  private CompletionStage<HttpReply> put(HttpCall call) {
    String key = key(call);
    int ack = ack(call);
    Stored fresh = new Stored(System.currentTimeMillis(), call.body());
    List<CompletableFuture<Stored>> answers =
        owners(key).stream().map(owner -> put(owner, key, fresh)).toList();
    return gathered(answers, ack)
        .thenApply(stored -> stored.isEmpty() ? notEnough() : HttpReply.of(201));
  }

  private CompletionStage<HttpReply> get(HttpCall call) {
    String key = key(call);
    int ack = ack(call);
    List<CompletableFuture<Stored>> answers =
        owners(key).stream()
            .sorted(Comparator.comparing(owner -> owner != place.index()))
            .limit(ack)
            .map(owner -> get(owner, key))
            .toList();
    return gathered(answers, ack)
        .thenApply(
            stored ->
                stored.stream()
                    .max(Comparator.comparingLong(Stored::version))
                    .map(ProxyNode::reply)
                    .orElseGet(ProxyNode::notEnough));
  }

  private static HttpReply reply(Stored newest) {
    return newest.version() < 0
        ? HttpReply.of(404)
        : HttpReply.of(200, "application/octet-stream", newest.value())
            .with(VERSION, String.valueOf(newest.version()));
  }

  private static HttpReply notEnough() {
    return HttpReply.of(504, "Not Enough Replicas");
  }

  /** The first answers, as soon as there are enough; none if there will not be enough. */
  private static CompletableFuture<List<Stored>> gathered(
      List<CompletableFuture<Stored>> answers, int ack) {
    CompletableFuture<List<Stored>> enough = new CompletableFuture<>();
    Gathering gathering = new Gathering(ack, answers.size());
    for (CompletableFuture<Stored> answer : answers) {
      var unused =
          answer.whenComplete(
              (stored, failure) -> {
                List<Stored> all = gathering.add(failure == null ? stored : null);
                if (all != null) {
                  enough.complete(all);
                }
              });
    }
    return enough;
  }

  /** Answers of owners. */
  private static final class Gathering {
    private final int ack;
    private final List<Stored> good = new ArrayList<>(); // guarded by this
    private int missing; // guarded by this

    Gathering(int ack, int asked) {
      this.ack = ack;
      this.missing = asked;
    }

    /** Adds an answer, null for a failure; returns all of them when that decides. */
    synchronized @Nullable List<Stored> add(@Nullable Stored answer) {
      missing--;
      if (answer != null) {
        good.add(answer);
      }
      if (good.size() == ack) {
        return List.copyOf(good);
      }
      return missing == 0 && good.size() < ack ? List.of() : null;
    }
  }

  private static String key(HttpCall call) {
    String key = call.query().value("id");
    if (key == null || key.isEmpty()) {
      throw new ProblemException(400, "The parameter id is missing or empty");
    }
    return key;
  }

  private static int ack(HttpCall call) {
    long from = call.query().number("from", OWNERS, 1, OWNERS);
    return (int) call.query().number("ack", from / 2 + 1, 1, from);
  }

  // ---- Between nodes

  /** The nodes that keep a key, by rendezvous hashing. */
  private List<Integer> owners(String key) {
    int first = -1;
    int second = -1;
    for (int node = 0; node < place.nodes(); node++) {
      if (first < 0 || weight(key, node) > weight(key, first)) {
        second = first;
        first = node;
      } else if (second < 0 || weight(key, node) > weight(key, second)) {
        second = node;
      }
    }
    return second < 0 ? List.of(first) : List.of(first, second);
  }

  private static long weight(String key, int node) {
    long bits = (key.hashCode() * 31L + node + 1) * 0x9E3779B97F4A7C15L;
    bits = (bits ^ (bits >>> 32)) * 0xD6E8FEB86659FD93L;
    return bits ^ (bits >>> 32);
  }

  private CompletableFuture<Stored> put(int owner, String key, Stored fresh) {
    if (owner == place.index()) {
      return CompletableFuture.completedFuture(keep(key, fresh));
    }
    return client
        .sendAsync(
            to(owner, key, "&" + VERSION + "=" + fresh.version())
                .PUT(BodyPublishers.ofByteArray(fresh.value()))
                .build(),
            BodyHandlers.discarding())
        .thenApply(
            answer -> {
              require(answer, 201);
              return fresh;
            });
  }

  private CompletableFuture<Stored> get(int owner, String key) {
    if (owner == place.index()) {
      return CompletableFuture.completedFuture(part.getOrDefault(key, ABSENT));
    }
    return client
        .sendAsync(to(owner, key, "").build(), BodyHandlers.ofByteArray())
        .thenApply(
            answer -> {
              if (answer.statusCode() == 404) {
                return ABSENT;
              }
              require(answer, 200);
              long version = answer.headers().firstValueAsLong(VERSION).orElseThrow();
              return new Stored(version, answer.body());
            });
  }

  private HttpRequest.Builder to(int owner, String key, String more) {
    String node = "http://localhost:" + place.httpPorts().get(owner);
    return HttpRequest.newBuilder(URI.create(node + BETWEEN_NODES + "?id=" + key + more));
  }

  private static void require(HttpResponse<?> answer, int status) {
    if (answer.statusCode() != status) {
      throw new IllegalStateException(answer.uri() + " answered " + answer.statusCode());
    }
  }

  private CompletionStage<HttpReply> putOwn(HttpCall call) {
    long version = call.query().number(VERSION, 0, 0, Long.MAX_VALUE);
    keep(key(call), new Stored(version, call.body()));
    return CompletableFuture.completedFuture(HttpReply.of(201));
  }

  private Stored keep(String key, Stored fresh) {
    return part.merge(key, fresh, (old, now) -> now.version() >= old.version() ? now : old);
  }

  private CompletionStage<HttpReply> getOwn(HttpCall call) {
    return CompletableFuture.completedFuture(reply(part.getOrDefault(key(call), ABSENT)));
  }

  @Override
  public void close() {
    port.close();
  }

  /** Nobody keeps figures. */
  private static final class Unheard implements PortListener {
    @Override
    public void opened() {}

    @Override
    public void closed() {}

    @Override
    public void answered(Verb verb, @Nullable String template, int status, long nanos) {}

    @Override
    public void sent(int bytes) {}
  }
}
