package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Caches that applications made, of other formats than strings, as commands see them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
final class FormatsTest {
  @TempDir private static Path meeting;
  @TempDir private Path folder;
  private TwoNodes nodes;

  @BeforeAll
  void startTwoNodes() {
    nodes = TwoNodes.start(meeting);
  }

  @AfterAll
  void stopThem() {
    nodes.close();
  }

  private enum Side {
    BUY,
    SELL
  }

  private record Quote(String symbol, double price, @Nullable Side side) {}

  @Test
  void aCacheThatIsNotThereIsSaidAndNotMade() {
    nodes.run("put", "1", "x", "--cache", "there");
    for (String[] args : List.of(new String[] {"scan"}, new String[] {"get", "1"})) {
      List<String> all = new ArrayList<>(List.of(args));
      all.addAll(List.of("--cache", "nosuch"));
      CommandRun command = new CommandRun();
      assertThat(command.run(nodes.inCluster(all.toArray(String[]::new)))).isEqualTo(3);
      assertThat(command.err()).contains("there is no cache \"nosuch\"; there", "there");
      assertThat(command.out()).isEmpty();
    }
    assertThat(nodes.run("status").out()).contains("  there").doesNotContain("nosuch");
  }

  @Test
  void cachesOfJavaAreReadAsText() {
    Cache<Integer, Quote> quotes =
        nodes.open(CacheSettings.of("quotes", Integer.class, Quote.class));
    quotes.put(7, new Quote("ACME", 42.17, Side.BUY));
    quotes.put(-8, new Quote("NONE", 0, null));
    assertThat(nodes.run("scan", "--cache", "quotes").out().lines())
        .containsExactlyInAnyOrder(
            "{\"key\":\"7\",\"symbol\":\"ACME\",\"price\":42.17,\"side\":\"BUY\"}",
            "{\"key\":\"-8\",\"symbol\":\"NONE\",\"price\":0.0,\"side\":null}");
    assertThat(nodes.run("get", "7", "--cache", "quotes").out())
        .isEqualTo("{\"symbol\":\"ACME\",\"price\":42.17,\"side\":\"BUY\"}\n");
    assertThat(nodes.run("status").out())
        .containsPattern(
            "quotes +2 +60 B +120 B +int +record Quote\\(symbol"
                + " string,\\s+price\\s+double,\\s+side");
  }

  private static final class Now {
    record Quote(String symbol, double price, long lots) {}
  }

  @Test
  void recordsThatHaveChangedAreReadAsText() {
    nodes
        .open(CacheSettings.of("changed", Integer.class, Quote.class))
        .put(1, new Quote("ACME", 42.17, Side.BUY));
    nodes
        .open(CacheSettings.of("changed", Integer.class, Now.Quote.class))
        .put(2, new Now.Quote("NEW", 1, 5));
    assertThat(nodes.run("scan", "--cache", "changed").out().lines())
        .containsExactlyInAnyOrder(
            "{\"key\":\"1\",\"symbol\":\"ACME\",\"price\":42.17,\"side\":\"BUY\"}",
            "{\"key\":\"2\",\"symbol\":\"NEW\",\"price\":1.0,\"side\":null,\"lots\":5}");
  }

  @Test
  void numbersAreWrittenAsText() {
    Cache<Integer, Long> counts = nodes.open(CacheSettings.of("counts", Integer.class, Long.class));
    nodes.run("put", "5", "900", "--cache", "counts");
    assertThat(counts.get(5)).isEqualTo(900L);
    CommandRun put = new CommandRun();
    assertThat(put.run(nodes.inCluster("put", "five", "1", "--cache", "counts"))).isEqualTo(1);
    assertThat(put.err()).contains("cannot be encoded as int");
  }

  @Test
  void recordsAreNeitherPutNorLoaded() throws IOException {
    nodes.open(CacheSettings.of("sealed", String.class, Quote.class));
    String formats =
        "cache \"sealed\" has keys of string and values of record Quote(symbol string, price"
            + " double, side enum Side); ";
    CommandRun put = new CommandRun();
    assertThat(put.run(nodes.inCluster("put", "a", "b", "--cache", "sealed"))).isEqualTo(1);
    assertThat(put.err()).startsWith("headrace put: " + formats + "put writes no records");
    Path file = Files.writeString(folder.resolve("a.csv"), "id\n1\n");
    CommandRun load = new CommandRun();
    assertThat(load.run(nodes.inCluster("load", "" + file, "-k", "id", "--cache", "sealed")))
        .isEqualTo(1);
    assertThat(load.err()).startsWith("headrace load: " + formats + "load writes strings");
  }

  @Test
  void formatsOfOwnCodecsAreNamed() {
    Codec<String> shouted =
        new Codec<>() {
          @Override
          public String format() {
            return "shouted text";
          }

          @Override
          public void encode(String value, ByteOutput out) {
            out.writeUtf8(value.toUpperCase(Locale.ROOT));
          }

          @Override
          public String decode(ByteInput in) {
            return in.readUtf8(in.remaining());
          }
        };
    nodes.open(new CacheSettings<>("own", Codecs.string(), shouted)).put("a", "B");
    CommandRun scan = new CommandRun();
    assertThat(scan.run(nodes.inCluster("scan", "--cache", "own"))).isEqualTo(1);
    assertThat(scan.err())
        .startsWith(
            "headrace scan: cache \"own\" has keys of string and values of shouted text; the"
                + " command line reads what has built-in codecs; read this cache in Java");
    assertThat(nodes.run("status").out())
        .containsPattern("own +1 +11 B +22 B +string +shouted text");
  }

  @Test
  void selectedFieldsAreAllThatIsWritten() {
    Cache<Long, Quote> cache = nodes.open(CacheSettings.of("selected", Long.class, Quote.class));
    cache.put(1L, new Quote("A", 40.5, Side.BUY));
    cache.put(2L, new Quote("B", 20, null));
    assertThat(nodes.run("scan", "--cache", "selected", "--select", "price,side").out().lines())
        .containsExactlyInAnyOrder(
            "{\"key\":\"1\",\"price\":40.5,\"side\":\"BUY\"}",
            "{\"key\":\"2\",\"price\":20.0,\"side\":null}");
    assertThat(
            nodes
                .run(
                    "scan",
                    "--cache",
                    "selected",
                    "--select",
                    "symbol",
                    "--filter",
                    "price > 30",
                    "--format",
                    "csv")
                .out())
        .isEqualTo("key,symbol\n1,A\n");
  }

  @Test
  void aFieldThatIsNotThereCannotBeSelected() {
    Cache<Long, Quote> cache = nodes.open(CacheSettings.of("unselected", Long.class, Quote.class));
    cache.put(1L, new Quote("A", 40.5, Side.BUY));
    CommandRun scan = new CommandRun();
    assertThat(scan.run(nodes.inCluster("scan", "--cache", "unselected", "--select", "colour")))
        .isEqualTo(2);
    assertThat(scan.err()).contains("--select: ", "colour", "--columns");
  }
}
