package dev.headrace.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

final class EntrySinkTest {

  @Test
  void ndjsonEmbedsObjectsAndQuotesOtherValues() {
    EntrySink sink = EntrySink.of(FileFormat.NDJSON, "key", List.of(), false);
    assertThat(write(sink, "k\"1", "{\"a\": 1, \"b\":[2]}"))
        .isEqualTo("{\"key\":\"k\\\"1\",\"a\": 1, \"b\":[2]}\n");
    assertThat(write(sink, "k2", "{ }")).isEqualTo("{\"key\":\"k2\"}\n");
    assertThat(write(sink, "k3", "plain\ntext"))
        .isEqualTo("{\"key\":\"k3\",\"value\":\"plain\\ntext\"}\n");
    assertThat(write(sink, "k4", "{broken")).isEqualTo("{\"key\":\"k4\",\"value\":\"{broken\"}\n");
    assertThat(write(sink, "k5", "{} {}")).isEqualTo("{\"key\":\"k5\",\"value\":\"{} {}\"}\n");
    assertThat(write(sink, "k6", null)).isEqualTo("{\"key\":\"k6\"}\n");
    assertThat(write(sink, "k7", "{\n \"a\":\r\n1}")).isEqualTo("{\"key\":\"k7\",\"a\":  1}\n");
  }

  @Test
  void aFieldOfTheSameNameMustBeTheKey() {
    EntrySink sink = EntrySink.of(FileFormat.NDJSON, "id", List.of(), false);
    assertThat(write(sink, "1", "{\"a\":2,\"id\":1}")).isEqualTo("{\"a\":2,\"id\":1}\n");
    assertThatThrownBy(() -> write(sink, "2", "{\"id\":1}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--key-field");
    EntrySink csv = EntrySink.of(FileFormat.CSV, "id", List.of(), false);
    assertThat(write(csv, "1", "{\"a\":2,\"id\":1}")).isEqualTo("id,a\n1,2\n");
    assertThatThrownBy(() -> write(csv, "2", "{\"id\":1}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--key-field");
  }

  @Test
  void csvHasTheFirstValuesFieldsAsColumns() {
    EntrySink sink = EntrySink.of(FileFormat.CSV, "key", List.of(), false);
    assertThat(write(sink, "1", "{\"a\":\"x,y\",\"b\":{\"c\":[1, 2]},\"d\":null}"))
        .isEqualTo("key,a,b,d\n1,\"x,y\",\"{\"\"c\"\":[1, 2]}\",\n");
    assertThat(write(sink, "2", "{\"d\":1.50,\"a\":\"say \\\"x\\\"\"}"))
        .isEqualTo("2,\"say \"\"x\"\"\",,1.50\n");
    assertThatThrownBy(() -> write(sink, "3", "{\"e\":1}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("key \"3\" has the field \"e\"")
        .hasMessageContaining("--columns");
    assertThatThrownBy(() -> write(sink, "4", "text")).hasMessageContaining("the field \"value\"");
  }

  @Test
  void csvWritesGivenColumnsOnly() {
    EntrySink sink = EntrySink.of(FileFormat.CSV, "key", List.of("b", "z"), false);
    assertThat(write(sink, "1", "{\"a\":1,\"b\":2}")).isEqualTo("key,b,z\n1,2,\n");
    assertThat(write(sink, "2", "{\"y\":1,\"z\":2}")).isEqualTo("2,,2\n");
  }

  @Test
  void csvOfPlainValuesAndOfKeysAlone() {
    EntrySink values = EntrySink.of(FileFormat.CSV, "key", List.of(), false);
    assertThat(write(values, "1", "a\nb")).isEqualTo("key,value\n1,\"a\nb\"\n");
    EntrySink keys = EntrySink.of(FileFormat.TSV, "key", List.of(), false);
    assertThat(write(keys, "1", null)).isEqualTo("key\n1\n");
    EntrySink continued = EntrySink.of(FileFormat.CSV, "key", List.of(), true);
    assertThat(write(continued, "1", "x")).isEqualTo("1,x\n");
  }

  @Property(tries = 300)
  void whatIsWrittenAsCsvIsReadAgain(
      @ForAll @StringLength(min = 1, max = 20) String key,
      @ForAll @StringLength(max = 20) @CharRange(from = '\n', to = '\u00FF') String text)
      throws IOException {
    assumeThat(StandardCharsets.UTF_8.newEncoder().canEncode(key)).isTrue();
    for (FileFormat format : List.of(FileFormat.CSV, FileFormat.TSV)) {
      EntrySink sink = EntrySink.of(format, "key", List.of(), false);
      byte[] written = write(sink, key, "x" + text).getBytes(StandardCharsets.UTF_8);
      EntrySource source = EntrySource.open(new ByteArrayInputStream(written), format, null, "key");
      Map.Entry<String, String> entry = source.next();
      assertThat(entry.getKey()).isEqualTo(key);
      assertThat(JsonFields.of(entry.getValue()))
          .isEqualTo(Map.of("key", key, "value", "x" + text));
      assertThat(source.next()).isNull();
    }
  }

  @Property(tries = 300)
  void whatIsWrittenAsNdjsonIsReadAgain(
      @ForAll @StringLength(min = 1, max = 20) String key,
      @ForAll @StringLength(max = 20) String text)
      throws IOException {
    assumeThat(StandardCharsets.UTF_8.newEncoder().canEncode(key + "|" + text)).isTrue();
    EntrySink sink = EntrySink.of(FileFormat.NDJSON, "key", List.of(), false);
    byte[] written = write(sink, key, "x" + text).getBytes(StandardCharsets.UTF_8);
    EntrySource source =
        EntrySource.open(new ByteArrayInputStream(written), FileFormat.NDJSON, null, "key");
    Map.Entry<String, String> entry = source.next();
    assertThat(entry.getKey()).isEqualTo(key);
    assertThat(JsonFields.of(entry.getValue())).isEqualTo(Map.of("key", key, "value", "x" + text));
  }

  private static String write(EntrySink sink, String key, String value) {
    StringBuilder out = new StringBuilder();
    sink.append(key, value, out);
    return out.toString();
  }
}
