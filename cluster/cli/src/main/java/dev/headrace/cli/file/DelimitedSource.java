package dev.headrace.cli.file;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/**
 * Entries of CSV or TSV. The first record names the fields; every further one must have as many.
 * All fields become JSON strings.
 */
final class DelimitedSource implements EntrySource {
  private static final JsonStringEncoder JSON = JsonStringEncoder.getInstance();

  private final Utf8Text text;
  private final char delimiter;
  private final CSVFormat format;
  private Iterator<CSVRecord> records;

  /** The start of each field in JSON: its quoted name and a colon. */
  private final List<String> prefixes = new ArrayList<>();

  private int keyIndex = -1;

  private DelimitedSource(Utf8Text text, char delimiter) throws IOException {
    this.text = text;
    this.delimiter = delimiter;
    this.format = CSVFormat.DEFAULT.builder().setDelimiter(delimiter).get();
    this.records = parse(text, format);
  }

  static DelimitedSource open(Utf8Text text, char delimiter, String keyField) throws IOException {
    DelimitedSource source = new DelimitedSource(text, delimiter);
    source.readHeader(keyField);
    return source;
  }

  /** Records of what follows in a text. */
  private static Iterator<CSVRecord> parse(Utf8Text text, CSVFormat format) throws IOException {
    return CSVParser.builder()
        .setReader(text)
        .setFormat(format)
        .setCharacterOffset(text.position())
        .get()
        .iterator();
  }

  @Override
  public long line() {
    return text.line();
  }

  @Override
  public String record(String value) {
    List<String> fields = new ArrayList<>();
    try (JsonParser json = JsonLinesSource.JSON.createParser(value)) {
      json.nextToken();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        json.nextToken();
        fields.add(json.getText());
      }
    } catch (IOException e) {
      throw new IllegalArgumentException("This is no value of a record: " + e.getMessage(), e);
    }
    return format.format(fields.toArray());
  }

  @Override
  public long bytesRead() {
    return text.bytesRead();
  }

  @Override
  public Map.@Nullable Entry<String, String> next() throws IOException {
    CSVRecord record = nextRecord();
    if (record == null) {
      return null;
    }
    int fields = prefixes.size();
    if (record.size() != fields) {
      long surplusOffset =
          record.getCharacterPosition() + DelimitedText.field(raw(), fields, delimiter);
      throw new MalformedTextException(
          text.place(surplusOffset),
          "the record has " + fieldCount(record.size()) + ", but the first line names " + fields,
          format.format((Object[]) record.values()));
    }
    String key = record.get(keyIndex);
    if (key.isEmpty()) {
      throw new MalformedTextException(
          text.place(
              record.getCharacterPosition() + DelimitedText.field(raw(), keyIndex, delimiter)),
          "the key is empty",
          format.format((Object[]) record.values()));
    }
    StringBuilder json = new StringBuilder();
    for (int i = 0; i < fields; i++) {
      json.append(i == 0 ? '{' : ',').append(prefixes.get(i)).append('"');
      JSON.quoteAsString(record.get(i), json);
      json.append('"');
    }
    return Map.entry(key, json.append('}').toString());
  }

  private void readHeader(String keyField) throws IOException {
    CSVRecord header = nextRecord();
    if (header == null) {
      throw new MalformedTextException(
          text.place(0), "the file is empty: its first line must name the fields");
    }
    Set<String> names = new HashSet<>();
    for (int i = 0; i < header.size(); i++) {
      String name = header.get(i);
      if (name.isBlank() || !names.add(name)) {
        throw new MalformedTextException(
            text.place(header.getCharacterPosition() + DelimitedText.field(raw(), i, delimiter)),
            name.isBlank()
                ? "field " + (i + 1) + " has no name in the first line"
                : "the first line names \"" + name + "\" twice");
      }
      if (name.equals(keyField)) {
        keyIndex = i;
      }
      prefixes.add("\"" + new String(JSON.quoteAsString(name)) + "\":");
    }
    if (keyIndex < 0) {
      throw new MalformedTextException(
          text.place(header.getCharacterPosition()),
          "there is no field \""
              + keyField
              + "\" in the first line; with --key name one of "
              + String.join(", ", header)
              + separatorHint(header));
    }
  }

  /** A header of one field is most often one whose separator is another. */
  private String separatorHint(CSVRecord header) {
    if (header.size() > 1) {
      return "";
    }
    for (char candidate : new char[] {';', '\t', '|', ','}) {
      if (candidate != delimiter && header.get(0).indexOf(candidate) >= 0) {
        return candidate == '\t'
            ? "; it seems to be TSV: add --format tsv"
            : "; if '" + candidate + "' separates the fields, add --separator '" + candidate + "'";
      }
    }
    return "";
  }

  /** The next record, whose text is then everything since the mark. */
  private @Nullable CSVRecord nextRecord() throws IOException {
    try {
      if (!records.hasNext()) {
        return null;
      }
      CSVRecord record = records.next();
      text.mark(record.getCharacterPosition());
      return record;
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof MalformedTextException malformed) {
        throw malformed;
      }
      MalformedTextException malformed = DelimitedText.quoteProblem(text, delimiter, e);
      if (malformed.record() != null) {
        text.mark(text.position());
        records = parse(text, format);
      }
      throw malformed;
    }
  }

  private CharSequence raw() {
    return text.sinceMark();
  }

  private static String fieldCount(int count) {
    return count == 1 ? "1 field" : count + " fields";
  }
}
