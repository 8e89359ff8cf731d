package dev.headrace.http.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.ingest.IngestProgress;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.ingest.SinkSubscriber;
import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.Problems;
import dev.headrace.http.text.TextForm;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;

/** A body between a socket and a sink that takes what it likes. */
final class LoadIntakeTest {
  private final Sink sink = new Sink();
  private int asked;
  private LoadIntake intake;

  /** Takes entries as a test wants them. */
  private static final class Sink implements SinkSubscriber<Map.Entry<byte[], byte[]>> {
    final List<String> entries = new ArrayList<>();
    final CompletableFuture<IngestReport> report = new CompletableFuture<>();
    Subscription subscription;
    boolean completed;
    boolean cancelled;

    @Override
    public void onSubscribe(Subscription begun) {
      subscription = begun;
    }

    @Override
    public void onNext(Map.Entry<byte[], byte[]> entry) {
      entries.add(
          new String(entry.getKey(), StandardCharsets.UTF_8)
              + "="
              + new String(entry.getValue(), StandardCharsets.UTF_8));
    }

    @Override
    public void onError(Throwable failure) {
      throw new AssertionError(failure);
    }

    @Override
    public void onComplete() {
      completed = true;
      end(true);
    }

    @Override
    public CompletableFuture<IngestReport> report() {
      return report;
    }

    @Override
    public IngestProgress progress() {
      int count = entries.size();
      return new IngestProgress(count, count, 0, 0, 0, 0, 0, 0, List.of());
    }

    @Override
    public void cancel() {
      cancelled = true;
      subscription.cancel();
      end(false);
    }

    private void end(boolean complete) {
      report.complete(new IngestReport(progress(), List.of(), complete, Duration.ZERO));
    }
  }

  private void begin(boolean stop) {
    OpenCache cache = new OpenCache(null, TextForm.of("string"), TextForm.of("string"));
    intake =
        new LoadIntake(
            new JsonRecords(cache), new RecordSplitter(false, 100), cache.keys(), stop, sink);
    intake.begin(() -> asked++);
  }

  private static String line(String key) {
    return "{\"key\":\"" + key + "\",\"value\":\"v\"}\n";
  }

  private void piece(String text) {
    intake.piece(text.getBytes(StandardCharsets.UTF_8));
  }

  private String reply(int status) {
    HttpReply reply =
        intake
            .reply()
            .toCompletableFuture()
            .handle((whole, failure) -> failure == null ? whole : Problems.reply(failure))
            .join();
    String text = new String(reply.body(), StandardCharsets.UTF_8);
    assertThat(reply.status()).as(text).isEqualTo(status);
    return text;
  }

  @Test
  void theSocketIsReadOnlyWhileTheSinkWantsMore() {
    begin(false);
    assertThat(asked).as("nobody wants anything yet").isZero();
    sink.subscription.request(2);
    assertThat(asked).isEqualTo(1);
    piece(line("a") + line("b") + line("c"));
    assertThat(sink.entries).containsExactly("a=v", "b=v");
    assertThat(asked).as("the rest of the piece waits").isEqualTo(1);
    sink.subscription.request(2);
    assertThat(sink.entries).containsExactly("a=v", "b=v", "c=v");
    assertThat(asked).isEqualTo(2);
    sink.subscription.request(5);
    assertThat(asked).as("one piece at a time").isEqualTo(2);
    piece("{\"key\":\"d\",");
    assertThat(asked).isEqualTo(3);
    piece("\"value\":\"v\"}");
    assertThat(asked).isEqualTo(4);
    assertThat(sink.completed).isFalse();
    intake.end();
    assertThat(sink.entries).contains("d=v");
    assertThat(sink.completed).isTrue();
    assertThat(reply(200)).contains("\"complete\":true,\"records\":4,\"written\":4");
  }

  @Test
  void whatCannotBeReadIsReportedWithItsLineAndTheOthersGoOn() {
    begin(false);
    sink.subscription.request(10);
    piece(line("a") + "nonsense\n" + "x".repeat(200) + "\n" + line("b"));
    intake.end();
    assertThat(sink.entries).containsExactly("a=v", "b=v");
    assertThat(reply(200))
        .contains("\"records\":4,\"written\":2", "\"failed\":2", "{\"line\":2,", "{\"line\":3,")
        .contains("more than 100 bytes");
  }

  @Test
  void onlySoManyLinesAreNamed() {
    begin(false);
    sink.subscription.request(10);
    piece("nonsense\n".repeat(500));
    intake.end();
    assertThat(reply(200))
        .contains("\"failed\":500", "\"line\":100,")
        .doesNotContain("\"line\":101");
  }

  @Test
  void aLoadThatStopsAtTheFirstReadsNoFurther() {
    begin(true);
    sink.subscription.request(10);
    piece(line("a") + "nonsense\n" + line("b"));
    assertThat(sink.entries).containsExactly("a=v");
    assertThat(sink.cancelled).isTrue();
    assertThat(asked).as("the rest is not read").isEqualTo(1);
    assertThat(reply(400)).contains("Line 2: ", "\"line\":2", "\"report\":{\"complete\":false");
  }

  @Test
  void aClientThatGoesEndsTheSink() {
    begin(false);
    sink.subscription.request(10);
    piece(line("a") + line("b").substring(0, 9));
    intake.cancelled();
    assertThat(sink.cancelled).isTrue();
    assertThat(sink.completed).as("the half of a record is none").isFalse();
    assertThat(sink.entries).containsExactly("a=v");
    assertThat(intake.reply().toCompletableFuture()).isDone();
  }

  @Test
  void anIntakeThatNeverBeginsEnds() {
    OpenCache cache = new OpenCache(null, TextForm.of("string"), TextForm.of("string"));
    LoadIntake unused =
        new LoadIntake(
            new JsonRecords(cache), new RecordSplitter(false, 9), cache.keys(), false, sink);
    unused.cancelled();
    assertThat(unused.reply().toCompletableFuture()).isCompletedExceptionally();
    assertThat(sink.cancelled).isFalse();
  }

  @Test
  void aSinkThatIsClosedEndsTheLoad() {
    begin(false);
    sink.subscription.request(10);
    piece(line("a"));
    sink.subscription.cancel();
    sink.report.completeExceptionally(
        new dev.headrace.api.error.NodeClosedException("The node is closed"));
    assertThat(reply(503)).contains("closed");
  }
}
