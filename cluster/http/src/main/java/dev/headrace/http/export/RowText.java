package dev.headrace.http.export;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.headrace.api.stream.operator.Operand;
import dev.headrace.api.stream.operator.Row;
import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.expression.FilterText;
import dev.headrace.http.text.TextForm;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of some parts of entries as text: an object with a member, or a line with a column, for each
 * part.
 *
 * @param columns the names of the parts
 * @param forms their formats
 */
record RowText(List<String> columns, List<TextForm> forms) implements ElementText<Row> {

  /**
   * Rows of these parts of a cache.
   *
   * @throws ProblemException 409 if the format of a part is not known
   */
  static RowText of(List<Operand> parts, OpenCache cache) {
    List<TextForm> forms = new ArrayList<>();
    for (Operand part : parts) {
      TextForm form =
          TextForm.of(FilterText.format(part, cache.keys().format(), cache.values().format()));
      if (!form.isKnown()) {
        throw new ProblemException(
            409, "\"" + part + "\" has the format " + form.format() + ", which is not text");
      }
      forms.add(form);
    }
    return new RowText(parts.stream().map(Operand::toString).toList(), List.copyOf(forms));
  }

  @Override
  public void appendJson(Row row, StringBuilder json) {
    char separator = '{';
    for (int i = 0; i < forms.size(); i++) {
      json.append(separator).append('"');
      JsonStringEncoder.getInstance().quoteAsString(columns.get(i), json);
      json.append("\":");
      byte @Nullable [] part = part(row, i);
      if (part == null) {
        json.append("null");
      } else {
        forms.get(i).appendJson(part, json);
      }
      separator = ',';
    }
  }

  @Override
  public String column(Row row, int column) {
    byte @Nullable [] part = part(row, column);
    return part == null ? "" : forms.get(column).text(part);
  }

  private byte @Nullable [] part(Row row, int column) {
    return row.get(columns.get(column), byte[].class);
  }
}
