package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.cli.progress.CommandProgress;
import dev.headrace.cli.terminal.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Subscription;

/** What a scan writes, and how it ends. */
final class ScanOutputTest {
  @TempDir private Path folder;
  private int cancelled;

  private ScanOutput<String> output(BiConsumer<String, StringBuilder> writer) throws IOException {
    ScanTarget target = ScanTarget.open(file(), "--cache quotes", false, Terminal.system());
    ScanOutput<String> output = new ScanOutput<>(writer, target, new CommandProgress(0), 0);
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

  private Path file() {
    return folder.resolve("people.ndjson");
  }

  private String written() throws IOException {
    return Files.readString(file());
  }

  @Test
  void whatIsHeldOfABrokenBatchIsNotWritten() throws IOException {
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
  void whateverTheWriterThrowsEndsTheScan() throws IOException {
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
