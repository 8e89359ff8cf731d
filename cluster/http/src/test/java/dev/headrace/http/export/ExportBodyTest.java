package dev.headrace.http.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.http.exchange.BodySink;
import dev.headrace.http.expression.EntrySelection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** The body of an export, between a stream and a connection that a test plays. */
final class ExportBodyTest {
  private static final EntrySelection ALL = new EntrySelection("", null, null);
  private static final EntrySelection FILTERED = new EntrySelection("", "value = 'x'", null);
  private static final EntrySelection PREFIXED = new EntrySelection("4", null, null);

  private final Connection connection = new Connection();
  private final List<@Nullable Throwable> ended = new ArrayList<>();
  private @Nullable Executor executor;
  private @Nullable Subscriber<? super String> subscriber;

  /** Keeps what is written, and tasks for its event loop until a test runs them. */
  private static final class Connection implements BodySink {
    final Queue<Runnable> tasks = new ArrayDeque<>();
    final Executor loop = tasks::add;
    int pieces;
    boolean broken;

    @Override
    public void write(byte[] piece) {
      pieces++;
    }

    @Override
    public boolean hasRoom() {
      return true;
    }

    @Override
    public Executor executor() {
      return loop;
    }

    @Override
    public void end(Map<String, String> trailers) {}

    @Override
    public void abort() {
      broken = true;
    }
  }

  private static final class Words implements ElementWriter<String> {
    @Override
    public void element(String element, ByteOutput out) {
      out.writeUtf8(element);
    }

    @Override
    public void token(String token, ByteOutput out) {}

    @Override
    public void failure(String problem, String token, ByteOutput out) {}
  }

  private final class Stream implements StreamPublisher<String> {
    @Override
    public CloseableIterator<String> iterator() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void subscribe(Subscriber<? super String> reader) {
      subscriber = reader;
      reader.onSubscribe(
          new Subscription() {
            @Override
            public void request(long count) {}

            @Override
            public void cancel() {}
          });
    }
  }

  private ExportBody<String> begin(EntrySelection selection, Compression.@Nullable Coding coding) {
    ExportBody<String> body =
        new ExportBody<>(
            new ExportRequest(
                ExportForm.NDJSON, selection, null, Long.MAX_VALUE, null, false, coding),
            new Words(),
            word -> true,
            new StreamFigures(1, "cache", 256),
            (listener, given) -> {
              executor = given;
              return new Stream();
            },
            ended::add);
    body.begin(connection);
    return body;
  }

  @Test
  void aStreamOfAllEntriesRunsOnTheEventLoopAndIsSentWhenNothingMoreIsThere() {
    ExportBody<String> body = begin(ALL, null);
    assertThat(executor).isSameAs(connection.loop);
    body.onNext("entry");
    body.batchConsumed(() -> "token");
    assertThat(connection.pieces).as("before other batches had their turn").isZero();
    connection.tasks.remove().run();
    assertThat(connection.pieces).isEqualTo(1);
  }

  @Test
  void aStreamThatPassesEntriesOverOrIsCompressedLeavesTheEventLoopAlone() {
    for (EntrySelection selection : List.of(FILTERED, PREFIXED, ALL)) {
      connection.pieces = 0;
      ExportBody<String> body =
          begin(selection, selection.equals(ALL) ? Compression.Coding.GZIP : null);
      assertThat(executor).as("%s", selection).isNull();
      body.onNext("entry");
      body.batchConsumed(() -> "token");
      assertThat(connection.tasks).as("%s", selection).isEmpty();
      assertThat(connection.pieces).as("%s", selection).isEqualTo(1);
    }
  }

  @Test
  void whoHoldsItsPlaceIsToldWhatTheStreamFailedWith() {
    CodecException failure = new CodecException("for the test");
    begin(ALL, null);
    subscriber.onError(failure);
    assertThat(connection.broken).isTrue();
    assertThat(ended).containsExactly(failure);

    ExportBody<String> cancelled = begin(ALL, null);
    cancelled.cancelled();
    assertThat(ended).hasSize(2).last().isNull();
  }
}
