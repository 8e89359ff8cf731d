package dev.headrace.cli.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ProgressTest {
  private final CommandProgress progress = new CommandProgress(0);
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private long nowNanos;

  @Test
  void nothingIsShownInTheFirstSecond() {
    try (ProgressDisplay display = display(ProgressDisplay.Style.BAR)) {
      at(999);
      display.tick();
    }
    assertThat(shown()).isEmpty();
  }

  @Test
  void whatTakesLessThanASecondHasNoRate() {
    assertThat(Figures.durationAndRate(4, TimeUnit.MILLISECONDS.toNanos(500))).isEqualTo("0.5 s");
    assertThat(Figures.durationAndRate(4_000, TimeUnit.SECONDS.toNanos(2)))
        .isEqualTo("2.0 s (2,000/s)");
  }

  @Test
  void aLogGetsALineEveryThreeSeconds() {
    try (ProgressDisplay display = display(ProgressDisplay.Style.LINES)) {
      progress.add(1_000, 2_000_000);
      progress.advance(25, 100);
      progress.batch("node-1", 700, 10);
      for (int millis = 200; millis <= 4_000; millis += 200) {
        at(millis);
        display.tick();
      }
    }
    assertThat(shown()).isEqualTo("1,000 entries  333/s  2.0 MB  25 %  node-1 700\n");
  }

  @Test
  void aScreenIsDrawnOverWithALaneForEachNode() {
    try (ProgressDisplay display = display(ProgressDisplay.Style.BAR)) {
      progress.add(1_000, 2_000);
      progress.batch("node-1", 400, 1_500);
      progress.batch("node-2", 200, 500);
      progress.batch("node-2", 600, 500);
      at(2_000);
      display.tick();
      progress.advance(1, 2);
      display.tick();
    }
    String first =
        """
        1,000 entries  500/s  2.0 kB
          node-1  ##########..........           400     1.5 kB  1 batch
          node-2  ####################           800     1.0 kB  2 batches
        """;
    String[] frames = shown().split("\u001b\\[3A");
    assertThat(frames).hasSize(3);
    assertThat(plain(frames[0])).isEqualTo(first);
    assertThat(plain(frames[1]))
        .startsWith("1,000 entries  500/s  2.0 kB  [##########..........] 50 %");
  }

  @Test
  void nothingIsShownWhereItIsNotWanted() {
    try (ProgressDisplay display = display(ProgressDisplay.Style.NONE)) {
      at(60_000);
      display.tick();
    }
    assertThat(shown()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0, 0 B", "999, 999 B", "1000, 1.0 kB", "14200000, 14.2 MB", "999999, 1.0 MB"})
  void bytesAreScaled(long bytes, String text) {
    assertThat(Figures.bytes(bytes)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"149186, 1400, '107,000/s'", "7, 1000, 7/s", "0, 0, 0/s", "1234, 1000, '1,230/s'"})
  void ratesHaveThreeDigits(long count, long millis, String text) {
    assertThat(Figures.rate(count, TimeUnit.MILLISECONDS.toNanos(millis))).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"1400, 1.4 s", "59900, 59.9 s", "59999, 1 min 0 s", "125000, 2 min 5 s"})
  void durationsAreInSecondsAndMinutes(long millis, String text) {
    assertThat(Figures.duration(TimeUnit.MILLISECONDS.toNanos(millis))).isEqualTo(text);
  }

  private ProgressDisplay display(ProgressDisplay.Style style) {
    PrintStream stream = new PrintStream(err, true, StandardCharsets.UTF_8);
    return ProgressDisplay.manual(progress, stream, () -> nowNanos, style);
  }

  private void at(long millis) {
    nowNanos = TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private String shown() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private static String plain(String frame) {
    return frame.replaceAll("\u001b\\[[KJ]|\r", "");
  }
}
