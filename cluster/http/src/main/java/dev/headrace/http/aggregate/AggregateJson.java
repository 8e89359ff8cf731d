package dev.headrace.http.aggregate;

import dev.headrace.api.stream.operator.FieldSummary;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.text.TextForm;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Results of reductions as JSON. */
final class AggregateJson {

  /** The most characters of an answer. */
  private static final int MAX_LENGTH = 8 << 20;

  private AggregateJson() {}

  /** The number of all entries. */
  static String count(long entries) {
    return "{\"entries\":" + entries + "}";
  }

  /** The summary of all entries. */
  static String summary(FieldSummary summary) {
    StringBuilder json = new StringBuilder("{");
    append(summary, json);
    return json.append('}').toString();
  }

  /**
   * The number of entries of each group.
   *
   * @throws ProblemException 409 if the bytes of a group are none of the format
   */
  static String counts(Map<?, Long> groups, TextForm form) {
    return groups(groups, form, (entries, json) -> json.append("\"entries\":").append(entries));
  }

  /**
   * The summary of each group.
   *
   * @throws ProblemException 409 if the bytes of a group are none of the format
   */
  static String summaries(Map<?, FieldSummary> groups, TextForm form) {
    return groups(groups, form, AggregateJson::append);
  }

  /** Appends the members of an object. */
  private interface Members<R> {
    void append(R result, StringBuilder json);
  }

  private static <R> String groups(Map<?, R> groups, TextForm form, Members<R> members) {
    StringBuilder json = new StringBuilder("{\"groups\":[");
    char separator = ' ';
    for (Map.Entry<?, R> each : groups.entrySet()) {
      json.append(separator).append("{\"group\":");
      Object group = each.getKey();
      if (group == null) {
        json.append("null");
      } else {
        appendGroup((byte[]) group, form, json);
      }
      json.append(',');
      members.append(each.getValue(), json);
      json.append('}');
      separator = ',';
      if (json.length() > MAX_LENGTH) {
        throw new ProblemException(
            400, "The groups take more than " + (MAX_LENGTH >> 20) + " MB; group by less");
      }
    }
    return json.append("]}").toString();
  }

  private static void appendGroup(byte[] group, TextForm form, StringBuilder json) {
    try {
      form.appendJson(group, json);
    } catch (RuntimeException e) { // whatever a format finds wrong with bytes
      throw new ProblemException(409, "The bytes of a group are no value of " + form.format(), e);
    }
  }

  private static void append(FieldSummary summary, StringBuilder json) {
    json.append("\"entries\":").append(summary.entries());
    json.append(",\"numbers\":").append(summary.numbers());
    json.append(",\"sum\":").append(number(summary.sum()));
    json.append(",\"min\":").append(number(summary.least()));
    json.append(",\"max\":").append(number(summary.greatest()));
    json.append(",\"avg\":");
    json.append(summary.average().isPresent() ? number(summary.average().getAsDouble()) : "null");
  }

  /** JSON has no infinities and nothing that is not a number. */
  private static String number(@Nullable Number number) {
    boolean none = number instanceof Double value && (value.isNaN() || value.isInfinite());
    return none ? "\"" + number + "\"" : String.valueOf(number);
  }
}
