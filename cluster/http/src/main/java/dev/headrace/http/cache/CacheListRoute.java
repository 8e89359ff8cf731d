package dev.headrace.http.cache;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.headrace.api.CacheReport;
import dev.headrace.api.CacheStatus;
import dev.headrace.api.Headrace;
import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Verb;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

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
                HttpReply.text(200, MediaType.JSON.header(), json(report))
                    .with("cache-control", "no-store"));
  }

  private static String json(CacheReport report) {
    StringBuilder json = new StringBuilder("{\"caches\":[");
    char separator = ' ';
    for (CacheStatus cache : report.caches()) {
      json.append(separator).append("{\"name\":");
      quote(cache.name(), json);
      json.append(",\"entries\":").append(cache.entries());
      json.append(",\"bytes\":").append(cache.bytes());
      json.append(",\"replicaBytes\":").append(cache.replicaBytes());
      json.append(",\"keyFormat\":");
      quote(cache.keyFormat(), json);
      json.append(",\"valueFormat\":");
      quote(cache.valueFormat(), json);
      json.append('}');
      separator = ',';
    }
    json.append("],\"missingNodes\":[");
    separator = ' ';
    for (String missing : report.missingNodes()) {
      json.append(separator);
      quote(missing, json);
      separator = ',';
    }
    return json.append("],\"complete\":").append(report.complete()).append('}').toString();
  }

  private static void quote(@Nullable String text, StringBuilder json) {
    if (text == null) {
      json.append("null");
      return;
    }
    json.append('"');
    JsonStringEncoder.getInstance().quoteAsString(text, json);
    json.append('"');
  }
}
