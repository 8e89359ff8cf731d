package dev.headrace.http.export;

import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.QueryParameters;
import dev.headrace.http.expression.EntrySelection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a request wants of a cache's content.
 *
 * @param form how entries are sent
 * @param selection which entries
 * @param select which parts of them; null for whole entries
 * @param limit a page ends with the batch that brings it to so many entries; {@link Long#MAX_VALUE}
 *     for no limit
 * @param seconds a page ends after so long, wherever it is; 0 for no limit
 * @param resume a token of another response; null to begin at the beginning
 * @param tokens whether tokens are sent among the entries
 * @param coding how the body is made smaller; null for not at all
 */
record ExportRequest(
    ExportForm form,
    EntrySelection selection,
    @Nullable String select,
    long limit,
    long seconds,
    @Nullable String resume,
    boolean tokens,
    Compression.@Nullable Coding coding) {

  private static final int MAX_SECONDS = 24 * 60 * 60;
  private static final Set<String> PARAMETERS =
      Set.of(
          "format",
          "prefix",
          "filter",
          "segments",
          "select",
          "limit",
          "seconds",
          "resume",
          "tokens");

  /**
   * Reads a request.
   *
   * @param segments how many the cluster has
   * @throws ProblemException 400 or 406 if it is damaged
   */
  static ExportRequest of(HttpCall call, int segments) {
    QueryParameters query = call.query();
    query.allowOnly(PARAMETERS);
    return new ExportRequest(
        ExportForm.of(query.value("format"), call.header("accept")),
        EntrySelection.of(query, segments),
        query.value("select"),
        query.number("limit", Long.MAX_VALUE, 1, Long.MAX_VALUE),
        query.number("seconds", 0, 1, MAX_SECONDS),
        call.queryOrHeader("resume", "headrace-resume"),
        query.flag("tokens"),
        Compression.Coding.accepted(call.header("accept-encoding")));
  }
}
