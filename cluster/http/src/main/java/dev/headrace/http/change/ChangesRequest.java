package dev.headrace.http.change;

import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.QueryParameters;
import dev.headrace.http.expression.SegmentsParameter;
import java.util.BitSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which changes a request wants.
 *
 * @param content whether the entries that are there come first
 * @param previous whether the value before a change is told
 * @param latest whether a change that a later one at hand has overtaken is left out
 * @param everyId whether each event has an id
 * @param segments the segments; null for all
 * @param resume a token of another response; null to begin anew
 */
record ChangesRequest(
    boolean content,
    boolean previous,
    boolean latest,
    boolean everyId,
    @Nullable BitSet segments,
    @Nullable String resume) {

  private static final Set<String> PARAMETERS =
      Set.of("content", "previous", "latest", "ids", "segments", "resume");

  /**
   * Reads a request. A page that comes back sends the header {@code Last-Event-ID} beside the
   * parameters of its first request, so the header counts more.
   *
   * @param segments how many the cluster has
   * @throws ProblemException 400 if it is damaged
   */
  static ChangesRequest of(HttpCall call, int segments) {
    QueryParameters query = call.query();
    query.allowOnly(PARAMETERS);
    String ids = query.value("ids");
    if (ids != null && !ids.equals("each") && !ids.equals("some")) {
      throw new ProblemException(400, "The parameter ids is each or some");
    }
    String last = call.header("last-event-id");
    String resume = query.value("resume");
    return new ChangesRequest(
        query.flag("content"),
        query.flag("previous"),
        query.flag("latest"),
        "each".equals(ids),
        SegmentsParameter.of(query, segments),
        last == null || last.isEmpty() ? resume : last);
  }
}
