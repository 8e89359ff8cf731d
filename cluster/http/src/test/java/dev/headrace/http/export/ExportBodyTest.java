package dev.headrace.http.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.StreamDeadlineException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.exchange.BodySink;
import dev.headrace.http.exchange.Problems;
import dev.headrace.http.expression.EntrySelection;
import dev.headrace.http.text.TextForm;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** The body of an export, between a stream and a connection that a test plays. */
final class ExportBodyTest {
  private static final EntrySelection ALL = new EntrySelection("", null, null);
  private static final EntrySelection FILTERED = new EntrySelection("", "value = 'x'", null);
  private static final EntrySelection PREFIXED = new EntrySelection("4", null, null);
  private static final TextForm STRINGS = TextForm.of("string");
  private static final OpenCache CACHE = new OpenCache(null, STRINGS, STRINGS);
  private static final long TOKEN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Connection connection = new Connection();
  private final List<@Nullable Throwable> ended = new ArrayList<>();
  private @Nullable Executor executor;
  private @Nullable Subscriber<?> subscriber;

  /** Keeps what is written, and tasks for its event loop until a test runs them. */
  private static final class Connection implements BodySink {
    final Queue<Runnable> tasks = new ArrayDeque<>();
    final Executor loop = tasks::add;
    final ByteArrayOutputStream written = new ByteArrayOutputStream();
    int pieces;
    boolean broken;
    @Nullable Map<String, String> trailers;

    String text() {
      return written.toString(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void write(byte[] piece) {
      pieces++;
      written.writeBytes(piece);
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
    public void end(Map<String, String> with) {
      trailers = with;
    }

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

  private final class Stream<T> implements StreamPublisher<T> {
    @Override
    public CloseableIterator<T> iterator() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void subscribe(Subscriber<? super T> reader) {
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
    return begin(
        new ExportRequest(
            ExportForm.NDJSON, selection, null, Long.MAX_VALUE, 0, null, false, coding),
        new Words(),
        connection);
  }

  /** A body of all entries of a cache of strings. */
  private ExportBody<Map.Entry<byte[], byte[]>> begin(
      ExportForm form, boolean tokens, Connection to) {
    return begin(
        new ExportRequest(form, ALL, null, Long.MAX_VALUE, 0, null, tokens, null),
        form.entries(CACHE),
        to);
  }

  private <T> ExportBody<T> begin(ExportRequest request, ElementWriter<T> writer, Connection to) {
    ExportBody<T> body =
        new ExportBody<>(
            request,
            writer,
            element -> true,
            new StreamFigures(1, "cache", 256),
            (listener, given) -> {
              executor = given;
              return new Stream<>();
            },
            ended::add);
    body.begin(to);
    return body;
  }

  private static Map.Entry<byte[], byte[]> entry(String key, String value) {
    return Map.entry(
        key.getBytes(StandardCharsets.US_ASCII), value.getBytes(StandardCharsets.US_ASCII));
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

  @ParameterizedTest
  @EnumSource(ExportForm.class)
  void aTokenComesAmongTheEntriesEachSecondIfTokensAreWanted(ExportForm form) {
    Connection other = new Connection();
    long beganNanos = System.nanoTime();
    ExportBody<Map.Entry<byte[], byte[]>> body = begin(form, true, connection);
    ExportBody<Map.Entry<byte[], byte[]>> plain = begin(form, false, other);
    List<String> made = new ArrayList<>();
    body.onNext(entry("a", "1"));
    plain.onNext(entry("a", "1"));
    while (made.isEmpty()) { // a stream of many batches
      assertThat(System.nanoTime() - beganNanos).as("until a token").isLessThan(PATIENCE_NANOS);
      plain.batchConsumed(
          () -> {
            throw new AssertionError("a token that nobody wants");
          });
      body.batchConsumed(
          () -> {
            made.add("T");
            return "T";
          });
    }
    assertThat(System.nanoTime() - beganNanos).isGreaterThanOrEqualTo(TOKEN_NANOS);
    body.onNext(entry("b", "2"));
    plain.onNext(entry("b", "2"));
    body.onComplete();
    plain.onComplete();
    assertThat(connection.text())
        .isEqualTo(
            switch (form) {
              case NDJSON ->
                  """
                  {"key":"a","value":"1"}
                  {"resume":"T"}
                  {"key":"b","value":"2"}
                  """;
              case JSON ->
                  """
                  [{"key":"a","value":"1"}
                  ,{"resume":"T"}
                  ,{"key":"b","value":"2"}
                  ]
                  """;
              case CSV -> "key,value\r\na,1\r\n#resume,T\r\nb,2\r\n";
              case BINARY ->
                  frame(0, "\0\0\0\1a1") + frame(1, "T") + frame(0, "\0\0\0\1b2") + frame(3, "");
            });
    assertThat(other.text()).contains("a", "b").doesNotContain("T");
  }

  @Test
  void aStreamWhoseTimeIsOverEndsAPage() {
    ExportBody<Map.Entry<byte[], byte[]>> body = begin(ExportForm.NDJSON, true, connection);
    body.onNext(entry("a", "1"));
    body.onError(new StreamDeadlineException("for the test", FaultScope.ofCache("cache"), "T"));
    body.onError(new StreamDeadlineException("once more", FaultScope.ofCache("cache"), "U"));
    assertThat(connection.text())
        .isEqualTo("{\"key\":\"a\",\"value\":\"1\"}\n{\"resume\":\"T\"}\n");
    assertThat(connection.trailers).containsExactly(Map.entry("headrace-resume", "T"));
    assertThat(connection.broken).isFalse();
    assertThat(ended).hasSize(1).containsOnlyNulls();
  }

  /** A frame of the binary form. */
  private static String frame(int kind, String content) {
    return "\0\0\0" + (char) (1 + content.length()) + (char) kind + content;
  }

  @ParameterizedTest
  @EnumSource(ExportForm.class)
  void aStreamThatIsInterruptedSaysWhyAndWhereItGoesOn(ExportForm form) {
    StreamInterruptedException failure =
        new StreamInterruptedException("for the test", FaultScope.ofCache("cache"), "T", null);
    ExportBody<Map.Entry<byte[], byte[]>> body = begin(form, true, connection);
    body.onNext(entry("a", "1"));
    body.onError(failure);
    body.onNext(entry("b", "2"));
    String problem = Problems.json(503, "for the test");
    assertThat(connection.text())
        .isEqualTo(
            switch (form) {
              case NDJSON ->
                  "{\"key\":\"a\",\"value\":\"1\"}\n{\"error\":" + problem + ",\"resume\":\"T\"}\n";
              case JSON ->
                  "[{\"key\":\"a\",\"value\":\"1\"}\n,{\"error\":"
                      + problem
                      + ",\"resume\":\"T\"}\n";
              case CSV ->
                  "key,value\r\na,1\r\n#error,\""
                      + problem.replace("\"", "\"\"")
                      + "\"\r\n#resume,T\r\n";
              case BINARY -> frame(0, "\0\0\0\1a1") + frame(1, "T") + frame(2, problem);
            });
    assertThat(connection.broken).as("nobody takes it for the whole").isTrue();
    assertThat(ended).containsExactly(failure);
  }

  @Test
  void aFailureBehindWhichNothingGoesOnHasNoToken() {
    ExportBody<Map.Entry<byte[], byte[]>> body = begin(ExportForm.NDJSON, true, connection);
    body.onError(new CodecException("for the test"));
    assertThat(connection.text())
        .isEqualTo("{\"error\":" + Problems.json(409, "for the test") + "}\n");
    assertThat(connection.broken).isTrue();
  }
}
