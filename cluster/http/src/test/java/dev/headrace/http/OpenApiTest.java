package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.headrace.http.exchange.Route;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Holds the OpenAPI document to the routes. */
final class OpenApiTest {
  /** The files of the page, which the document names in the page's summary. */
  private static final Set<String> FILES =
      Set.of(
          "/console.css",
          "/console.js",
          "/map.js",
          "/panels.js",
          "/browser.js",
          "/parts.js",
          "/icon.svg");

  private static HttpCluster cluster;
  private static Map<String, Object> document;

  @BeforeAll
  static void start() throws IOException {
    cluster = HttpCluster.of(1);
    try (JsonParser json = new JsonFactory().createParser(cluster.get(0, "/openapi.json").body())) {
      json.nextToken();
      document = object(value(json));
    }
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static Object value(JsonParser json) throws IOException {
    if (json.currentToken() == JsonToken.START_OBJECT) {
      Map<String, Object> object = new LinkedHashMap<>();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        json.nextToken();
        object.put(name, value(json));
      }
      return object;
    } else if (json.currentToken() == JsonToken.START_ARRAY) {
      List<Object> array = new ArrayList<>();
      while (json.nextToken() != JsonToken.END_ARRAY) {
        array.add(value(json));
      }
      return array;
    }
    return json.getText();
  }

  @SuppressWarnings("unchecked") // what value() has made
  private static Map<String, Object> object(Object value) {
    return (Map<String, Object>) value;
  }

  private static Map<String, Object> operation(Route route) {
    Map<String, Object> path =
        object(object(document.get("paths")).getOrDefault(route.template(), Map.of()));
    return object(path.getOrDefault(route.verb().name().toLowerCase(Locale.ROOT), Map.of()));
  }

  private static Set<String> parameters(Route route, String in) {
    List<?> all = (List<?>) operation(route).getOrDefault("parameters", List.of());
    return all.stream()
        .map(OpenApiTest::object)
        .filter(parameter -> parameter.get("in").equals(in))
        .map(parameter -> (String) parameter.get("name"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<Route> routes() {
    return cluster.server(0).routes().stream()
        .filter(route -> !FILES.contains(route.template()))
        .toList();
  }

  @Test
  void theDocumentHasEveryRouteAndNoOther() {
    Set<String> described = new TreeSet<>();
    object(document.get("paths"))
        .forEach(
            (path, methods) ->
                object(methods)
                    .keySet()
                    .forEach(
                        method -> described.add(method.toUpperCase(Locale.ROOT) + " " + path)));
    Set<String> served = new TreeSet<>();
    routes().forEach(route -> served.add(route.verb() + " " + route.template()));
    assertThat(described).isEqualTo(served);
  }

  @Test
  void everyPartOfAPathIsDescribed() {
    for (Route route : routes()) {
      Set<String> named = new TreeSet<>();
      for (String part : route.template().split("/", -1)) {
        if (part.startsWith("{")) {
          named.add(part.substring(1, part.length() - 1));
        }
      }
      assertThat(parameters(route, "path")).as(route.toString()).isEqualTo(named);
    }
  }

  @Test
  void whoMayAskIsAsTheDocumentSays() {
    for (Route route : routes()) {
      assertThat(operation(route).containsKey("security"))
          .as(route.toString())
          .isEqualTo(route.open());
    }
  }

  @Test
  void aParameterThatIsNotDescribedIsRefused() throws IOException {
    for (Route route : routes()) {
      if (route.open()
          || route.template().startsWith("/v0")
          || route.template().equals("/metrics")) {
        continue;
      }
      String path =
          route.template().replace("{name}", "x").replace("{key}", "y") + "?no-such-parameter=1";
      HttpResponse<byte[]> response =
          cluster.send(
              cluster.to(0, path).method(route.verb().name(), HttpRequest.BodyPublishers.noBody()));
      assertThat(response.statusCode()).as(path).isEqualTo(400);
      String told = new String(response.body(), java.nio.charset.StandardCharsets.UTF_8);
      for (String name : parameters(route, "query")) {
        assertThat(told).as("what %s tells of its parameters", path).contains(name);
      }
    }
  }

  @Test
  void everyStatusThatARouteAnswersIsDescribed() throws IOException {
    for (Route route : routes()) {
      if (!route.verb().name().equals("GET") || route.template().equals("/v1/cluster/events")) {
        continue;
      }
      String path = route.template().replace("{name}", "x").replace("{key}", "y");
      int status = cluster.get(0, path).statusCode();
      assertThat(object(operation(route).get("responses")))
          .as(path)
          .containsKey(String.valueOf(status));
    }
  }

  @Test
  void whatAnyRequestMayBeAnsweredIsDescribedOnceAndNamedByAllRoutes() {
    for (Route route : routes()) {
      assertThat(object(operation(route).get("responses")))
          .as(route.toString())
          .containsEntry("default", Map.of("$ref", "#/components/responses/Refused"));
    }
    Map<String, Object> responses = object(object(document.get("components")).get("responses"));
    assertThat((String) object(responses.get("Refused")).get("description"))
        .contains("400", "401", "403", "413", "414", "417", "421", "431", "500", "503", "505");
  }

  @ParameterizedTest
  @CsvSource({
    "GET,/v1/caches/{name}/entries/{key},503",
    "GET,/v0/entity,409 503 504",
    "PUT,/v0/entity,409 413 415 503 504 507",
    "DELETE,/v0/entity,409 503 504",
    "GET,/v0/entities,409 503"
  })
  void whatTheClusterAnswersIsDescribed(String verb, String path, String statuses) {
    Map<String, Object> operation =
        object(object(object(document.get("paths")).get(path)).get(verb.toLowerCase(Locale.ROOT)));
    assertThat(object(operation.get("responses"))).containsKeys(statuses.split(" ", -1));
  }
}
