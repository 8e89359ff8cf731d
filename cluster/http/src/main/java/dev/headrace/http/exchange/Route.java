package dev.headrace.http.exchange;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A path and a method, and who answers.
 *
 * @param verb the method
 * @param template the path, such as {@code /v1/caches/{name}}: a part in braces stands for any one
 *     that is not empty
 * @param open whether it is answered without a proof of identity
 * @param handler who answers; not called if there is an intake
 * @param intake who takes a body while it arrives; null if the handler gets it as a whole
 */
public record Route(
    Verb verb,
    String template,
    boolean open,
    RouteHandler handler,
    @Nullable IntakeHandler intake) {

  /** A route for which callers have to prove who they are, if the node's security says so. */
  public static Route of(Verb verb, String template, RouteHandler handler) {
    return new Route(verb, template, false, handler, null);
  }

  /** A route that shows nothing of the cluster's content, for everybody. */
  public static Route open(Verb verb, String template, RouteHandler handler) {
    return new Route(verb, template, true, handler, null);
  }

  /** A route that takes bodies of any length while they arrive; callers prove who they are. */
  public static Route taking(Verb verb, String template, IntakeHandler intake) {
    return new Route(
        verb,
        template,
        false,
        call -> {
          throw new IllegalStateException("the body of " + template + " is taken while it arrives");
        },
        intake);
  }

  /** The parts of a path that the template names, still escaped; null if it is another path. */
  @Nullable Map<String, String> match(List<String> parts) {
    List<String> own = List.of(template.split("/", -1));
    if (own.size() != parts.size()) {
      return null;
    }
    Map<String, String> variables = new LinkedHashMap<>();
    for (int i = 0; i < own.size(); i++) {
      String expected = own.get(i);
      String part = parts.get(i);
      if (expected.startsWith("{")) {
        if (part.isEmpty()) {
          return null;
        }
        variables.put(expected.substring(1, expected.length() - 1), part);
      } else if (!expected.equals(part)) {
        return null;
      }
    }
    return variables;
  }
}
