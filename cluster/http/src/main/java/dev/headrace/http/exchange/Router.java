package dev.headrace.http.exchange;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Finds the route of a request. Immutable. */
public final class Router {
  private final List<Route> routes;

  /** A router of these routes, of which the first that fits answers. */
  public Router(List<Route> routes) {
    this.routes = List.copyOf(routes);
  }

  /** All routes. */
  public List<Route> routes() {
    return routes;
  }

  /**
   * What a request leads to.
   *
   * @param route who answers
   * @param variables the parts of the path that the route names
   */
  public record Match(Route route, Map<String, String> variables) {

    /** Lets the route answer. */
    public CompletionStage<HttpReply> answer(HttpCall call) {
      return route.handler().answer(call.withVariables(variables));
    }

    /** Lets an intake of the route take the body. */
    public CompletionStage<BodyIntake> open(IntakeHandler intake, HttpCall head) {
      return intake.open(head.withVariables(variables));
    }
  }

  /**
   * Finds the route of a path.
   *
   * @param path as it was sent
   * @throws ProblemException 404 if there is none, 405 if there is one with other methods, 400 if
   *     the path is damaged or below {@code /v0}, whose contract says so
   */
  public Match find(Verb verb, String path) {
    List<String> parts = List.of(path.split("/", -1));
    Verb wanted = verb == Verb.HEAD ? Verb.GET : verb;
    List<Verb> others = new ArrayList<>();
    for (Route route : routes) {
      Map<String, String> found = route.match(parts);
      if (found != null && route.verb() == wanted) {
        return new Match(route, decoded(found));
      } else if (found != null) {
        others.add(route.verb());
      }
    }
    if (!others.isEmpty()) {
      throw notAllowed(others);
    }
    if (path.startsWith("/v0/")) {
      throw new ProblemException(400, "Below /v0 there are /v0/entity and /v0/entities only");
    }
    throw new ProblemException(404, "There is nothing here; see /openapi.json for what there is");
  }

  private static Map<String, String> decoded(Map<String, String> found) {
    Map<String, String> variables = new LinkedHashMap<>();
    found.forEach((name, part) -> variables.put(name, PercentText.decode(part, false)));
    return variables;
  }

  private static ProblemException notAllowed(List<Verb> others) {
    TreeSet<String> names = new TreeSet<>();
    others.forEach(verb -> names.add(verb.name()));
    if (others.contains(Verb.GET)) {
      names.add(Verb.HEAD.name());
    }
    String allowed = String.join(", ", names);
    return new ProblemException(405, "This path knows the methods " + allowed + " only")
        .with("allow", allowed);
  }

  /** The template of the route of a path, for figures; null if there is none. */
  public @Nullable String template(String path) {
    List<String> parts = List.of(path.split("/", -1));
    for (Route route : routes) {
      if (route.match(parts) != null) {
        return route.template();
      }
    }
    return null;
  }
}
