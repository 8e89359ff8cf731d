package dev.headrace.http.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.load.RecordSplitter.RawRecord;
import dev.headrace.http.text.TextForm;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records within bodies that arrive in pieces. */
final class RecordsTest {

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The records of a text that arrives in pieces of some bytes. */
  private static List<RawRecord> split(String text, boolean quotes, int most, int pieceBytes) {
    RecordSplitter splitter = new RecordSplitter(quotes, most, new RecordBudget(0));
    List<RawRecord> records = new ArrayList<>();
    byte[] bytes = utf8(text);
    for (int at = 0; at < bytes.length; at += pieceBytes) {
      splitter.add(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + pieceBytes)));
      drain(splitter, records);
    }
    splitter.end();
    drain(splitter, records);
    return records;
  }

  private static void drain(RecordSplitter splitter, List<RawRecord> records) {
    for (RawRecord next = splitter.next(); next != null; next = splitter.next()) {
      records.add(next);
    }
  }

  private static List<String> texts(List<RawRecord> records) {
    return records.stream()
        .map(
            each ->
                each.line()
                    + ":"
                    + new String(each.bytes(), StandardCharsets.UTF_8)
                    + (each.tooLong() ? "!" : "")
                    + (each.unclosed() ? "?" : ""))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 100})
  void recordsAreTheSameHoweverTheyArrive(int pieceBytes) {
    assertThat(texts(split("\ufeffa\r\n\n  \nbcd\nlonger than ten\nå", false, 10, pieceBytes)))
        .containsExactly("1:a", "4:bcd", "5:!", "6:å");
    assertThat(texts(split("a,\"b\nc\"\n\"x \"\"\n\"\"\",y\nz,\"", true, 100, pieceBytes)))
        .containsExactly("1:a,\"b\nc\"", "3:\"x \"\"\n\"\"\",y", "5:z,\"?");
    assertThat(texts(split("a\"b\nc\n", true, 100, pieceBytes)))
        .as("a quote within a column opens nothing")
        .containsExactly("1:a\"b", "2:c");
  }

  @Test
  void aLargeRecordIsCountedUntilTheNextOneIsWanted() {
    RecordBudget budget = new RecordBudget(4 << 20);
    RecordSplitter splitter = new RecordSplitter(false, 3 << 20, budget);
    splitter.add(utf8("small\n" + "x".repeat(2_000_000)));
    drain(splitter, new ArrayList<>());
    assertThat(budget.usedBytes()).isBetween(2_000_000L, 3L << 20);
    splitter.add(utf8("\nsmall\n" + "y".repeat(2_000_000)));
    assertThat(splitter.next().bytes()).hasSize(2_000_000);
    assertThat(budget.usedBytes()).as("it is being read").isBetween(2_000_000L, 3L << 20);
    assertThat(splitter.next().bytes()).hasSize(5);
    assertThat(budget.usedBytes()).isZero();
    assertThat(splitter.next()).isNull();
    assertThat(budget.usedBytes()).as("the half of a record").isPositive();
    splitter.close();
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void aRecordThatIsTooLongIsNotCounted() {
    RecordBudget budget = new RecordBudget(4 << 20);
    RecordSplitter splitter = new RecordSplitter(false, 1 << 20, budget);
    splitter.add(new byte[2 << 20]);
    assertThat(splitter.next()).isNull();
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void largeRecordsOfAllLoadsHaveOneBudget() {
    RecordBudget budget = new RecordBudget(1 << 20);
    RecordSplitter first = new RecordSplitter(false, 1 << 20, budget);
    RecordSplitter second = new RecordSplitter(false, 1 << 20, budget);
    first.add(new byte[600_000]);
    assertThat(first.next()).isNull();
    second.add(new byte[600_000]);
    assertThatThrownBy(second::next)
        .isInstanceOfSatisfying(
            ProblemException.class, problem -> assertThat(problem.status()).isEqualTo(503));
    second.close();
    first.close();
    assertThat(budget.usedBytes()).isZero();
  }

  private static OpenCache cache(String keys, String values) {
    return new OpenCache(null, TextForm.of(keys), TextForm.of(values));
  }

  private static String entry(RecordReader reader, String line) {
    Map.Entry<byte[], byte[]> entry = reader.read(utf8(line));
    return entry == null
        ? null
        : new String(entry.getKey(), StandardCharsets.UTF_8)
            + "="
            + new String(entry.getValue(), StandardCharsets.UTF_8);
  }

  @Test
  void linesOfJsonAreThoseOfAnExport() {
    JsonRecords reader = new JsonRecords(cache("string", "string"));
    assertThat(entry(reader, "{\"key\":\"a\",\"value\":\"b\"}")).isEqualTo("a=b");
    assertThat(entry(reader, " {\"value\":\"b\",\"key\":\"a\"} ")).isEqualTo("a=b");
    assertThat(entry(reader, "{\"resume\":\"token\"}")).as("a token is passed over").isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "[]",
        "1",
        "{}",
        "{\"key\":\"a\"}",
        "{\"value\":\"a\"}",
        "{\"key\":1,\"value\":\"b\"}",
        "{\"key\":\"a\",\"value\":null}",
        "{\"key\":\"a\",\"value\":[1]}",
        "{\"key\":\"a\",\"value\":\"b\"}x",
        "{\"key\":\"a\",\"value\":\"b\",\"more\":1}",
        "{\"key\":\"a\",\"key\":\"a\",\"value\":\"b\"}",
        "{\"error\":{\"status\":503}}",
        "{\"key\":\"\\ud800\",\"value\":\"b\"}",
        "{\"key\":\"a\",\"value\":",
        "\"",
        "\u0000"
      })
  void aDamagedLineOfJsonIsRefused(String line) {
    JsonRecords reader = new JsonRecords(cache("string", "string"));
    assertThatThrownBy(() -> reader.read(utf8(line)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("\n");
    assertThatThrownBy(() -> reader.read(new byte[] {(byte) 0xFF}))
        .hasMessage("The text is not UTF-8");
  }

  @Test
  void linesOfCsvAreThoseOfAnExport() {
    CsvRecords reader = new CsvRecords(cache("string", "string"));
    assertThat(entry(reader, "key,value")).isNull();
    assertThat(entry(reader, "a,b")).isEqualTo("a=b");
    assertThat(entry(reader, "\"a\"\"\",\"b,\nc\"")).isEqualTo("a\"=b,\nc");
    assertThat(entry(reader, "a,")).isEqualTo("a=");
    assertThat(entry(reader, "\"#resume\",b")).isEqualTo("#resume=b");
    assertThat(entry(reader, "#resume,token")).as("a token is passed over").isNull();
    CsvRecords turned = new CsvRecords(cache("string", "string"));
    assertThat(entry(turned, "value,key")).isNull();
    assertThat(entry(turned, "b,a")).isEqualTo("a=b");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "a,b,c",
        "a,b,",
        "\"a,b",
        "\"a\"x,b",
        "#error,\"{}\"",
        "a,\"b\"\"",
      })
  void aDamagedLineOfCsvIsRefused(String line) {
    CsvRecords reader = new CsvRecords(cache("string", "string"));
    reader.read(utf8("key,value"));
    assertThatThrownBy(() -> reader.read(utf8(line))).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a,b", "key", "key,value,more", "\"key", "KEY,VALUE"})
  void csvWithoutNamesIsRefusedAsAWhole(String line) {
    CsvRecords reader = new CsvRecords(cache("string", "string"));
    assertThatThrownBy(() -> reader.read(utf8(line)))
        .isInstanceOf(ProblemException.class)
        .hasMessageContaining("key,value");
  }

  @Test
  void aValueHasTheFormatOfTheCache() {
    RecordReader json = new JsonRecords(cache("int", "record Quote(symbol string, price double)"));
    Map.Entry<byte[], byte[]> entry =
        json.read(utf8("{\"key\":7,\"value\":{\"symbol\":\"ACME\",\"price\":42.17}}"));
    assertThat(entry.getKey()).containsExactly(0, 0, 0, 7);
    assertThatThrownBy(() -> json.read(utf8("{\"key\":7,\"value\":{\"symbol\":\"ACME\"}}")))
        .hasMessageContaining("price");
    CsvRecords csv = new CsvRecords(cache("int", "boolean"));
    csv.read(utf8("key,value"));
    assertThat(csv.read(utf8("7,true")).getValue()).containsExactly(1);
    assertThatThrownBy(() -> csv.read(utf8("x,true"))).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aLongStringIsReadAsAShortOneIs() {
    String text = "x".repeat(20_000_001);
    Map.Entry<byte[], byte[]> entry =
        new JsonRecords(cache("string", "string"))
            .read(utf8("{\"key\":\"k\",\"value\":\"" + text + "\"}"));
    assertThat(entry.getValue()).hasSize(text.length());
  }
}
