package dev.headrace.http.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.ingest.FailedRecord;
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
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;

/** A body between a socket and a sink that takes what it likes. */
final class LoadIntakeTest {
  private static final OpenCache CACHE =
      new OpenCache(null, TextForm.of("string"), TextForm.of("string"));

  private final Sink sink = new Sink();
  private final RecordBudget budget = new RecordBudget(1 << 20);
  private int asked;
  private LoadIntake intake;

  /** Takes entries as a test wants them. */
  private static final class Sink implements SinkSubscriber<Map.Entry<byte[], byte[]>> {
    final List<String> entries = new ArrayList<>();
    final List<FailedRecord> failed = new ArrayList<>();
    final CompletableFuture<IngestReport> report = new CompletableFuture<>();
    Subscription subscription;
    LongConsumer ended;
    RuntimeException failure;
    boolean completed;
    boolean cancelled;

    @Override
    public void onSubscribe(Subscription begun) {
      subscription = begun;
    }

    @Override
    public void onNext(Map.Entry<byte[], byte[]> entry) {
      if (failure != null) {
        throw failure;
      }
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
      if (subscription != null) {
        subscription.cancel();
      }
      end(false);
    }

    private void end(boolean complete) {
      report.complete(new IngestReport(progress(), failed, complete, Duration.ZERO));
    }
  }

  private void begin(boolean stop) {
    begin(new JsonRecords(CACHE), 100, stop);
  }

  private void begin(RecordReader reader, int mostBytes, boolean stop) {
    intake = intake(reader, mostBytes, stop);
    intake.begin(() -> asked++);
  }

  private LoadIntake intake(RecordReader reader, int mostBytes, boolean stop) {
    return new LoadIntake(
        reader,
        new RecordSplitter(false, mostBytes, budget),
        CACHE.keys(),
        stop,
        ended -> {
          sink.ended = ended;
          return sink;
        });
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
    LoadIntake unused = intake(new JsonRecords(CACHE), 9, false);
    unused.cancelled();
    assertThat(unused.reply().toCompletableFuture()).isCompletedExceptionally();
    assertThat(sink.cancelled).as("or it would wait for a source for ever").isTrue();
  }

  @Test
  void largeRecordsWaitUntilEarlierOnesHaveEndedHoweverManyAreWanted() {
    byte[] key = {'k'};
    begin(text -> Map.entry(key, new byte[3 << 20]), 100, false);
    sink.subscription.request(1024);
    piece("a\nb\nc\nd\n");
    assertThat(sink.entries).as("the second one is beyond 4 MiB").hasSize(2);
    sink.ended.accept(0);
    assertThat(sink.entries).hasSize(3);
    intake.end();
    assertThat(sink.completed).as("one is not read").isFalse();
    sink.ended.accept(1);
    assertThat(sink.entries).hasSize(4);
    sink.ended.accept(2);
    sink.ended.accept(3);
    assertThat(sink.completed).isTrue();
  }

  @Test
  void aRecordForWhichThereIsNoMemoryEndsTheLoad() {
    begin(new JsonRecords(CACHE), 4 << 20, false);
    sink.subscription.request(10);
    piece(line("a") + "x".repeat(2 << 20));
    assertThat(sink.cancelled).isTrue();
    assertThat(reply(503)).contains("\"report\":{\"complete\":false,\"records\":1");
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void aClientThatGoesLeavesNothingBehind() {
    begin(new JsonRecords(CACHE), 4 << 20, false);
    sink.subscription.request(10);
    piece("x".repeat(500_000));
    assertThat(budget.usedBytes()).isPositive();
    intake.cancelled();
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void aCodecThatThrowsAnythingHasMetABadRecord() {
    RecordReader strings = new JsonRecords(CACHE);
    begin(text -> text.length == 1 ? broken() : strings.read(text), 100, false);
    sink.subscription.request(10);
    piece(line("a") + "x\n" + line("b"));
    intake.end();
    assertThat(sink.entries).containsExactly("a=v", "b=v");
    assertThat(reply(200)).contains("\"failed\":1", "{\"line\":2,", "integer overflow");
  }

  private static Map.Entry<byte[], byte[]> broken() {
    throw new ArithmeticException("integer overflow");
  }

  @Test
  void aSinkThatThrowsEndsTheLoad() {
    begin(false);
    sink.failure = new IllegalStateException("broken");
    sink.subscription.request(10);
    piece(line("a"));
    assertThat(sink.cancelled).isTrue();
    reply(500);
  }

  @Test
  void onlyTheBeginningOfALargeKeyIsNamed() {
    begin(false);
    byte[] key = "k".repeat(1_000_000).getBytes(StandardCharsets.UTF_8);
    sink.failed.add(new FailedRecord(0, key, new IllegalStateException("too large")));
    sink.subscription.request(1);
    intake.end();
    assertThat(reply(200))
        .hasSizeLessThan(2_000)
        .contains("kkk…\",\"keyBytes\":1000000,\"error\":\"too large\"}");
  }

  @Test
  void aReportThatCannotBeWrittenIsAFailure() {
    begin(false);
    byte[] noText = {(byte) 0xFF};
    sink.failed.add(new FailedRecord(0, noText, new IllegalStateException("failed")));
    sink.subscription.request(1);
    intake.end();
    reply(500);
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
