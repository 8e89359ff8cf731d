package dev.headrace.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class EntrySourceTest {

  @Test
  void csvRecordsBecomeJsonObjects() throws IOException {
    assertThat(read("id,name\n1,Ada\n2,\"Grace \"\"B\"\" \nHopper, adm.\"\n", FileFormat.CSV, "id"))
        .containsExactly(
            Map.entry("1", "{\"id\":\"1\",\"name\":\"Ada\"}"),
            Map.entry("2", "{\"id\":\"2\",\"name\":\"Grace \\\"B\\\" \\nHopper, adm.\"}"));
  }

  @Test
  void windowsLineEndsAndAByteOrderMarkAreNoPartOfTheText() throws IOException {
    assertThat(read("\uFEFFid,name\r\n1,Ada\r\n\r\n2,Bob", FileFormat.CSV, "id"))
        .containsExactly(
            Map.entry("1", "{\"id\":\"1\",\"name\":\"Ada\"}"),
            Map.entry("2", "{\"id\":\"2\",\"name\":\"Bob\"}"));
  }

  @Test
  void tsvFieldsAreSeparatedByTabulators() throws IOException {
    assertThat(read("name\tid\nAda, Countess\t1\n", FileFormat.TSV, "id"))
        .containsExactly(Map.entry("1", "{\"name\":\"Ada, Countess\",\"id\":\"1\"}"));
  }

  @Test
  void ndjsonLinesAreKeptAsTheyAre() throws IOException {
    assertThat(
            read(
                " {\"id\": 7, \"tags\": [1, {\"id\": 2}]} \n\n{\"id\":\"é\"}\r\n{\"id\":true}",
                FileFormat.NDJSON,
                "id"))
        .containsExactly(
            Map.entry("7", "{\"id\": 7, \"tags\": [1, {\"id\": 2}]}"),
            Map.entry("é", "{\"id\":\"é\"}"),
            Map.entry("true", "{\"id\":true}"));
  }

  @Test
  void eachEntryHasALineAndARecordThatCanBeLoadedAgain() throws IOException {
    String csv = "id,name\r\n1,Ada\r\n\r\n2,\"a \"\"b\"\"\n,c\"\r\n3,\n";
    EntrySource source = open(csv, FileFormat.CSV);
    List<Long> lines = new ArrayList<>();
    List<String> records = new ArrayList<>();
    for (var entry = source.next(); entry != null; entry = source.next()) {
      lines.add(source.line());
      records.add(source.record(entry.getValue()));
    }
    assertThat(lines).containsExactly(2L, 4L, 6L);
    assertThat(records).containsExactly("1,Ada", "2,\"a \"\"b\"\"\n,c\"", "3,");
    EntrySource json = open("\n {\"id\":1}\n\n{\"id\":2}", FileFormat.NDJSON);
    assertThat(json.record(json.next().getValue())).isEqualTo("{\"id\":1}");
    assertThat(json.line()).isEqualTo(2);
    assertThat(json.next()).isNotNull();
    assertThat(json.line()).isEqualTo(4);
  }

  @Test
  void theLineIsKnownFarIntoAFile() throws IOException {
    StringBuilder text = new StringBuilder("id,name\n");
    for (int i = 0; i < 50_000; i++) {
      text.append(i).append(",\"a\nb\"\n");
    }
    EntrySource source = open(text.toString(), FileFormat.CSV);
    for (int i = 0; i < 50_000; i++) {
      assertThat(source.next()).isNotNull();
      assertThat(source.line()).isEqualTo(2 + 2L * i);
    }
  }

  private static EntrySource open(String text, FileFormat format) throws IOException {
    InputStream in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    return EntrySource.open(in, format, null, "id");
  }

  @Test
  void aFileOfOneLineHasNoEntries() throws IOException {
    assertThat(read("id,name\n", FileFormat.CSV, "id")).isEmpty();
    assertThat(read("\n\n", FileFormat.NDJSON, "id")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      value = {
        "id,name;1,Ada;2|3|2|1 field, but the first line names 2",
        "id,name;1,Ada,x|2|7|3 fields, but the first line names 2",
        "id,name;1,\"a,b\",😀,x|2|9|4 fields, but the first line names 2",
        "id,name;1,Ada;;2,\"Bob|4|3|never closed",
        "id,name;1,Ada;2,\"Bob\"x|3|8|text follows a closing quote",
        "id,name;\"1\"x,Ada|2|4|text follows a closing quote",
        "id,name;1,Ada;,Bob|3|1|the key is empty",
        "name,id;Ada,1;Bob,|3|5|the key is empty",
        "name,id,name;Ada,1,2|1|9|the first line names \"name\" twice",
        "name,,id;Ada,1,2|1|6|field 2 has no name",
        "a,b;1,2|1|1|there is no field \"id\" in the first line; with --key name one of a, b",
        "''|1|1|the file is empty",
      })
  void malformedCsvIsFoundByLineAndColumn(String text, long line, long column, String problem) {
    MalformedTextException e = malformed(text, FileFormat.CSV);
    assertThat(e).hasMessageContaining(problem);
    assertThat(e.line()).isEqualTo(line);
    assertThat(e.column()).isEqualTo(column);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      value = {
        "{\"id\":1};[2]|2|1|every line must be a JSON object",
        "{\"id\":1};{\"id\":2,|2|9|the line ends inside a JSON object",
        "{\"id\":1};;{\"id\" 2}|3|7|not JSON: ",
        "{\"id\":\"😀\" x}|1|11|not JSON: ",
        "{\"id\":1} {}|1|10|something follows the object",
        "{\"name\":1}|1|10|no field \"id\" to be the key",
        "{\"id\":null}|1|7|must be a string, a number or a boolean",
        "{\"a\":1,\"id\":[1]}|1|13|must be a string, a number or a boolean",
        "{\"id\":\"\"}|1|7|the key is empty",
        "{\"id\":1,\"id\":2}|1|14|the field \"id\" occurs twice",
        "hello|1|1|not JSON: ",
      })
  void malformedNdjsonIsFoundByLineAndColumn(String text, long line, long column, String problem) {
    MalformedTextException e = malformed(text, FileFormat.NDJSON);
    assertThat(e).hasMessageContaining(problem);
    assertThat(e.line()).isEqualTo(line);
    assertThat(e.column()).isEqualTo(column);
  }

  @Test
  void entriesBeforeAMalformedOneAreReadFirst() throws IOException {
    EntrySource source = EntrySource.open(bytes("id\n1\n2\n\"3"), FileFormat.CSV, null, "id");
    assertThat(source.next()).isEqualTo(Map.entry("1", "{\"id\":\"1\"}"));
    assertThat(source.next()).isEqualTo(Map.entry("2", "{\"id\":\"2\"}"));
    assertThat(catchThrowableOfType(MalformedTextException.class, source::next).line())
        .isEqualTo(4);
  }

  @Test
  void whatFollowsTextBehindAClosingQuoteIsRead() throws IOException {
    String wrong = "2,\"two\nlines\"x" + "y".repeat(20_000) + ",\"";
    EntrySource source =
        EntrySource.open(
            bytes("id,name\n1,\"A\"\n" + wrong + "\r\n\n3,\"C\"\n,D\n\"4\"x"),
            FileFormat.CSV,
            null,
            "id");
    assertThat(source.next()).isEqualTo(Map.entry("1", "{\"id\":\"1\",\"name\":\"A\"}"));
    MalformedTextException second =
        catchThrowableOfType(MalformedTextException.class, source::next);
    assertThat(second.record()).isEqualTo(wrong);
    assertThat(second.line()).isEqualTo(4);
    assertThat(second.column()).isEqualTo(7);
    assertThat(source.next()).isEqualTo(Map.entry("3", "{\"id\":\"3\",\"name\":\"C\"}"));
    MalformedTextException fourth =
        catchThrowableOfType(MalformedTextException.class, source::next);
    assertThat(fourth.line()).isEqualTo(7);
    assertThat(fourth).hasMessageContaining("the key is empty");
    MalformedTextException last = catchThrowableOfType(MalformedTextException.class, source::next);
    assertThat(last.record()).isEqualTo("\"4\"x");
    assertThat(source.next()).isNull();
  }

  @Test
  void jsonOfAnyDepthAndLengthIsTakenApart() {
    String deep = "[".repeat(5_000) + "]".repeat(5_000);
    String number = "7".repeat(5_000);
    assertThat(JsonFields.of("{\"id\":" + number + ",\"deep\":" + deep + "}"))
        .isEqualTo(Map.of("id", number, "deep", deep));
  }

  @Test
  void bytesThatAreNotUtf8AreFoundByLineAndColumn() {
    for (FileFormat format : List.of(FileFormat.CSV, FileFormat.NDJSON)) {
      String start = format == FileFormat.CSV ? "id\n1\né" : "{\"id\":1}\n\n\"";
      byte[] good = start.getBytes(StandardCharsets.UTF_8);
      byte[] bad = Arrays.copyOf(good, good.length + 1);
      bad[good.length] = (byte) 0xE9;
      MalformedTextException e =
          catchThrowableOfType(
              MalformedTextException.class,
              () -> readAll(EntrySource.open(new ByteArrayInputStream(bad), format, null, "id")));
      assertThat(e).hasMessageContaining("not UTF-8");
      assertThat(e.line()).isEqualTo(3);
      assertThat(e.column()).isEqualTo(2);
    }
  }

  @Test
  void aPlaceFarIntoALargeFileIsStillExact() {
    StringBuilder csv = new StringBuilder("id,text\n");
    for (int i = 0; i < 50_000; i++) {
      csv.append(i).append(",\"a line\nand 'another', with é and 😀\"\n");
    }
    csv.append("50000,\"x\" y\n");
    MalformedTextException e =
        catchThrowableOfType(
            MalformedTextException.class,
            () -> readAll(EntrySource.open(bytes(csv.toString()), FileFormat.CSV, null, "id")));
    assertThat(e.line()).isEqualTo(100_002);
    assertThat(e.column()).isEqualTo(11);
  }

  @Test
  void extensionsTellFormats() {
    assertThat(FileFormat.ofFile("a/b.CSV")).contains(FileFormat.CSV);
    assertThat(FileFormat.ofFile("b.tsv")).contains(FileFormat.TSV);
    assertThat(FileFormat.ofFile("b.jsonl")).contains(FileFormat.NDJSON);
    assertThat(FileFormat.ofFile("b.ndjson")).contains(FileFormat.NDJSON);
    assertThat(FileFormat.ofFile("csv.txt")).isEmpty();
    assertThat(FileFormat.ofFile("-")).isEmpty();
  }

  private static MalformedTextException malformed(String text, FileFormat format) {
    String lines = text.replace(';', '\n').replace("''", "");
    return catchThrowableOfType(MalformedTextException.class, () -> read(lines, format, "id"));
  }

  private static List<Map.Entry<String, String>> read(String text, FileFormat format, String key)
      throws IOException {
    return readAll(EntrySource.open(bytes(text), format, null, key));
  }

  private static List<Map.Entry<String, String>> readAll(EntrySource source) throws IOException {
    List<Map.Entry<String, String>> entries = new ArrayList<>();
    for (Map.Entry<String, String> entry = source.next(); entry != null; entry = source.next()) {
      entries.add(entry);
    }
    return entries;
  }

  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }
}
