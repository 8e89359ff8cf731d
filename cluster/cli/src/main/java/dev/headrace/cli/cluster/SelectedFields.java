package dev.headrace.cli.cluster;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.operator.Operand;
import dev.headrace.api.stream.operator.Row;
import dev.headrace.cli.cluster.KnownCaches.Formats;
import dev.headrace.http.expression.FilterText;
import dev.headrace.http.text.TextForm;
import java.util.List;
import java.util.Objects;
import org.reactivestreams.Publisher;

/** The keys and some fields of a cache's entries, as text. Immutable. */
public final class SelectedFields {
  private final List<Operand> parts;
  private final List<TextForm> forms;

  private SelectedFields(List<Operand> parts, List<TextForm> forms) {
    this.parts = parts;
    this.forms = forms;
  }

  /**
   * Reads names of fields.
   *
   * @throws dev.headrace.http.expression.FilterSyntaxException if the values have no such field
   */
  static SelectedFields of(List<String> fields, Formats formats) {
    List<Operand> parts =
        FilterText.parts("key," + String.join(",", fields), formats.keys(), formats.values());
    List<TextForm> forms =
        parts.stream()
            .map(part -> TextForm.of(FilterText.format(part, formats.keys(), formats.values())))
            .toList();
    return new SelectedFields(parts, forms);
  }

  /** The stream of these parts only. */
  public Publisher<Row> of(CacheStream<?, ?> stream) {
    return stream.select(parts.toArray(Operand[]::new));
  }

  /** The key of a row. */
  public String key(Row row) {
    return forms.get(0).text(part(row, 0));
  }

  /** The fields of a row as a JSON object. */
  public String value(Row row) {
    StringBuilder json = new StringBuilder("{");
    for (int i = 1; i < parts.size(); i++) {
      json.append(i == 1 ? "" : ",").append('"');
      JsonStringEncoder.getInstance().quoteAsString(parts.get(i).toString(), json);
      json.append("\":");
      if (row.get(parts.get(i).toString()) == null) {
        json.append("null");
      } else {
        forms.get(i).appendJson(part(row, i), json);
      }
    }
    return json.append('}').toString();
  }

  private byte[] part(Row row, int index) {
    return Objects.requireNonNull(row.get(parts.get(index).toString(), byte[].class));
  }
}
