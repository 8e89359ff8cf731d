package dev.headrace.http.export;

import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.QueryParameters;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a request wants of a cache's content.
 *
 * @param form how entries are sent
 * @param prefix what the text of a key begins with; empty for all
 * @param segments the segments; null for all
 * @param limit a page ends with the batch that brings it to so many entries; {@link Long#MAX_VALUE}
 *     for no limit
 * @param resume a token of another response; null to begin at the beginning
 * @param tokens whether tokens are sent among the entries
 * @param coding how the body is made smaller; null for not at all
 */
record ExportRequest(
    ExportForm form,
    String prefix,
    @Nullable BitSet segments,
    long limit,
    @Nullable String resume,
    boolean tokens,
    Compression.@Nullable Coding coding) {
  private static final Set<String> PARAMETERS =
      Set.of("format", "prefix", "segments", "limit", "resume", "tokens");

  /**
   * Reads a request.
   *
   * @param segments how many the cluster has
   * @throws ProblemException 400 or 406 if it is damaged
   */
  static ExportRequest of(HttpCall call, int segments) {
    QueryParameters query = call.query();
    query.allowOnly(PARAMETERS);
    ExportForm form = ExportForm.of(query.value("format"), call.header("accept"));
    String prefix = query.value("prefix");
    String range = query.value("segments");
    return new ExportRequest(
        form,
        prefix == null ? "" : prefix,
        range == null ? null : segments(range, segments),
        query.number("limit", Long.MAX_VALUE, 1, Long.MAX_VALUE),
        query.value("resume"),
        query.flag("tokens"),
        Compression.Coding.accepted(call.header("accept-encoding")));
  }

  /** Numbers and ranges such as {@code 0-3,7}. */
  private static BitSet segments(String text, int segments) {
    BitSet wanted = new BitSet(segments);
    for (String part : text.split(",", -1)) {
      int dash = part.indexOf('-');
      int first = number(dash < 0 ? part : part.substring(0, dash), segments);
      int last = dash < 0 ? first : number(part.substring(dash + 1), segments);
      if (last < first) {
        throw new ProblemException(400, "The range of segments " + part + " is empty");
      }
      wanted.set(first, last + 1);
    }
    return wanted;
  }

  private static int number(String text, int segments) {
    try {
      int segment = Integer.parseInt(text);
      if (segment >= 0 && segment < segments) {
        return segment;
      }
    } catch (NumberFormatException e) {
      throw new ProblemException(
          400, "The parameter segments is a list of numbers and ranges such as 0-3,7", e);
    }
    throw new ProblemException(
        400, "There is no segment " + text + "; there are 0 to " + (segments - 1));
  }

  /** The prefix as the bytes that encoded strings begin with. */
  byte[] prefixBytes() {
    return prefix.getBytes(StandardCharsets.UTF_8);
  }
}
