package dev.headrace.http.aggregate;

import dev.headrace.api.Headrace;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.operator.GroupedReductions;
import dev.headrace.api.stream.operator.Operand;
import dev.headrace.api.stream.operator.Reduction;
import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.cache.OpenCaches;
import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.QueryParameters;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Verb;
import dev.headrace.http.export.ActiveStreams;
import dev.headrace.http.expression.EntrySelection;
import dev.headrace.http.expression.FilterText;
import dev.headrace.http.text.TextForm;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Counts entries of a cache and adds up numbers of them, where they are. Thread-safe. */
public final class AggregateRoute {
  /** The path. */
  public static final String PATH = "/v1/caches/{name}/aggregate";

  private static final Set<String> PARAMETERS =
      Set.of("field", "groupBy", "maxGroups", "prefix", "filter", "segments");
  private static final int MAX_GROUPS = 10_000;
  private static final int DEFAULT_GROUPS = 1_000;

  private final Headrace node;
  private final OpenCaches caches;
  private final ActiveStreams streams;

  /** Sums of a node's caches. */
  public AggregateRoute(Headrace node, OpenCaches caches, ActiveStreams streams) {
    this.node = node;
    this.caches = caches;
    this.streams = streams;
  }

  /** The route. */
  public Route route() {
    return Route.of(Verb.GET, PATH, this::answer);
  }

  /**
   * What a request wants.
   *
   * @param selection of which entries
   * @param field what is added up; null to count entries
   * @param group what they are grouped by; null for one result
   * @param maxGroups the most groups
   */
  private record Wanted(
      EntrySelection selection, @Nullable String field, @Nullable String group, int maxGroups) {}

  private CompletionStage<HttpReply> answer(HttpCall call) {
    QueryParameters query = call.query();
    query.allowOnly(PARAMETERS);
    Wanted wanted =
        new Wanted(
            EntrySelection.of(query, node.status().segments()),
            query.value("field"),
            query.value("groupBy"),
            (int) query.number("maxGroups", DEFAULT_GROUPS, 1, MAX_GROUPS));
    String name = call.variable("name");
    return caches
        .find(name)
        .thenCompose(cache -> answer(cache, wanted))
        .whenComplete((reply, failure) -> caches.failed(name, failure));
  }

  private CompletableFuture<HttpReply> answer(OpenCache cache, Wanted wanted) {
    if (!wanted.selection().isPrefixOnNodes(cache)) {
      throw new ProblemException(400, "prefix is for keys that are strings; use filter instead");
    }
    Reduction<String> reduction = reduction(cache, wanted);
    streams.enter();
    CompletableFuture<String> result;
    try {
      result = reduction.toCompletionStage();
    } catch (RuntimeException | Error e) { // the node was closed in between, for example
      streams.leave();
      throw e;
    }
    return result
        .whenComplete((json, failure) -> streams.leave())
        .thenApply(
            json ->
                HttpReply.text(200, "application/json", json).with("cache-control", "no-store"));
  }

  private static Reduction<String> reduction(OpenCache cache, Wanted wanted) {
    CacheStream<byte[], byte[]> stream = wanted.selection().of(cache, cache.bytes().stream());
    Operand field = wanted.field() == null ? null : part("field", wanted.field(), cache);
    if (wanted.group() == null) {
      return field == null
          ? stream.count().map(AggregateJson::count)
          : checked("field", () -> stream.summarize(field).map(AggregateJson::summary));
    }
    Operand group = part("groupBy", wanted.group(), cache);
    // Checked before the format is asked for, which a version, for example, has not.
    GroupedReductions<Object> groups =
        checked("groupBy", () -> stream.groupBy(group, Object.class).maxGroups(wanted.maxGroups()));
    TextForm form =
        TextForm.of(FilterText.format(group, cache.keys().format(), cache.values().format()));
    if (!form.isKnown()) {
      throw new ProblemException(
          409, "\"" + group + "\" has the format " + form.format() + ", which is not text");
    }
    return field == null
        ? groups.count().map(results -> AggregateJson.counts(results, form))
        : checked(
            "field",
            () -> groups.summarize(field).map(results -> AggregateJson.summaries(results, form)));
  }

  private static Operand part(String parameter, String text, OpenCache cache) {
    List<Operand> parts = EntrySelection.parts(parameter, text, cache);
    if (parts.size() != 1) {
      throw new ProblemException(400, "The parameter " + parameter + " names one part of entries");
    }
    return parts.get(0);
  }

  /** What makes a reduction. */
  private interface Maker<R> {
    R make();
  }

  private static <R> R checked(String parameter, Maker<R> maker) {
    try {
      return maker.make();
    } catch (IllegalArgumentException e) {
      throw EntrySelection.problem(parameter, e);
    }
  }
}
