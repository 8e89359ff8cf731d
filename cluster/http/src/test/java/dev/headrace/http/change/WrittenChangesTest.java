package dev.headrace.http.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.stream.Change;
import dev.headrace.api.stream.Change.Kind;
import dev.headrace.api.stream.EntryVersion;
import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.exchange.Problems;
import dev.headrace.http.text.TextForm;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each kind of change as a server-sent event. */
final class WrittenChangesTest {
  private static final EntryVersion VERSION = new EntryVersion(1, 2);

  private final ByteOutput out = new ByteOutput();
  private final ChangeEvents events =
      new ChangeEvents(new OpenCache(null, TextForm.of("string"), TextForm.of("string")));

  private static byte @Nullable [] bytes(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  private String written() {
    return new String(out.toByteArray(), StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource({"REPLACED,replaced", "CLEARED,cleared"})
  void aRangeHasItsSegmentOnly(Kind kind, String name) {
    events.change(new Change.OfRange<>(kind, 7, key -> true), out);
    assertThat(written()).isEqualTo("event: " + name + "\ndata: {\"segment\":7}\n\n");
  }

  @ParameterizedTest
  @CsvSource({
    "PRESENT,present,new,",
    "CREATED,created,new,",
    "UPDATED,updated,new,old",
    "UPDATED,updated,new,",
    "REMOVED,removed,,old",
    "REMOVED,removed,,",
    "EXPIRED,expired,,old",
  })
  void aKeyHasWhatIsKnownOfIt(
      Kind kind, String name, @Nullable String value, @Nullable String previous) {
    events.change(
        new Change.OfKey<>(kind, 255, bytes("k\n\""), bytes(value), bytes(previous), VERSION), out);
    assertThat(written())
        .isEqualTo(
            "event: "
                + name
                + "\ndata: {\"segment\":255,\"key\":\"k\\n\\\"\""
                + (value == null ? "" : ",\"value\":\"new\"")
                + (previous == null ? "" : ",\"previous\":\"old\"")
                + ",\"version\":\"1-2\"}\n\n");
  }

  @Test
  void whatFollowsAReplacedRangeIsWrittenBehindIt() {
    events.change(new Change.OfRange<>(Kind.REPLACED, 3, key -> true), out);
    events.change(new Change.OfKey<>(Kind.PRESENT, 3, bytes("k"), bytes("v"), null, VERSION), out);
    events.token("T", out);
    assertThat(written())
        .isEqualTo(
            "event: replaced\ndata: {\"segment\":3}\n\n"
                + "event: present\ndata: {\"segment\":3,\"key\":\"k\",\"value\":\"v\","
                + "\"version\":\"1-2\"}\n\n"
                + "id: T\n\n");
  }

  @Test
  void aFailureIsAProblemWithTheTokenIfThereIsOne() {
    String problem = Problems.json(503, "for the test");
    events.failure(problem, "", out);
    assertThat(written()).isEqualTo("event: failed\ndata: " + problem + "\n\n");
    out.reset();
    events.failure(problem, "T", out);
    assertThat(written())
        .startsWith("event: failed\ndata: {\"type\":\"about:blank\"")
        .endsWith("\"detail\":\"for the test\",\"resume\":\"T\"}\n\n");
  }

  @Test
  void bytesThatAreNoTextAreNotWritten() {
    byte[] noText = {(byte) 0xFF};
    Change<byte[], byte[]> change =
        new Change.OfKey<>(Kind.CREATED, 0, noText, bytes("v"), null, VERSION);
    assertThatThrownBy(() -> events.change(change, out)).isInstanceOf(RuntimeException.class);
    assertThat(out.size()).as("nothing of it").isZero();
  }
}
