package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.cli.progress.CommandProgress;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;

/** What a scan writes, and how it ends. */
final class ScanOutputTest {
  private final ByteArrayOutputStream file = new ByteArrayOutputStream();
  private int cancelled;

  private ScanOutput<String> output(BiConsumer<String, StringBuilder> writer) {
    ScanOutput<String> output = new ScanOutput<>(writer, file, new CommandProgress(0), 0);
    output.onSubscribe(
        new Subscription() {
          @Override
          public void request(long n) {}

          @Override
          public void cancel() {
            cancelled++;
          }
        });
    return output;
  }

  private String written() {
    return file.toString(StandardCharsets.UTF_8);
  }

  @Test
  void whatIsHeldOfABrokenBatchIsNotWritten() {
    ScanOutput<String> output = output((text, out) -> out.append(text).append(';'));
    output.onNext("a");
    output.batchConsumed(() -> "behind a");
    output.onNext("b");
    output.onError(new IllegalStateException("the rest of the batch is damaged"));
    assertThat(written()).isEqualTo("a;");
    assertThat(output.resumeToken()).isEqualTo("behind a");
    assertThatThrownBy(() -> output.ended().get()).hasCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void whateverTheWriterThrowsEndsTheScan() {
    AssertionError broken = new AssertionError("a writer with an error");
    ScanOutput<String> output =
        output(
            (text, out) -> {
              out.append("half");
              throw broken;
            });
    output.onNext("a");
    assertThat(cancelled).isEqualTo(1);
    assertThat(output.ended()).isCompletedExceptionally();
    assertThatThrownBy(() -> output.ended().get()).hasCause(broken);
    assertThat(written()).isEmpty();
  }
}
