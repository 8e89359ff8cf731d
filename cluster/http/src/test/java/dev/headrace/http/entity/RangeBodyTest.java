package dev.headrace.http.entity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.http.exchange.BodySink;
import io.reactivex.rxjava3.core.Flowable;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Ranges whose stream cannot begin, and whose reader takes nothing. */
final class RangeBodyTest {

  /** Counts what becomes of a body. */
  private static final class Ends implements BodySink {
    int aborted;
    int ended;
    int room = Integer.MAX_VALUE;
    final List<String> pieces = new ArrayList<>();

    @Override
    public void write(byte[] piece) {
      room--;
      pieces.add(new String(piece, UTF_8));
    }

    @Override
    public boolean hasRoom() {
      return room > 0;
    }

    @Override
    public Executor executor() {
      return Runnable::run;
    }

    @Override
    public void end(Map<String, String> trailers) {
      ended++;
    }

    @Override
    public void abort() {
      aborted++;
    }
  }

  @Test
  void aStreamThatCannotBeginBreaksTheConnectionAndFreesItsPlace() {
    AtomicInteger released = new AtomicInteger();
    Ends sink = new Ends();
    RangeBody body =
        new RangeBody(
            () -> {
              throw new IllegalStateException("the node was closed");
            },
            new byte[] {1},
            null,
            released::incrementAndGet);
    body.begin(sink);
    body.room();
    body.cancelled();
    assertThat(sink.aborted).isEqualTo(1);
    assertThat(sink.ended).isZero();
    assertThat(released).hasValue(1);
  }

  @Test
  void whatWasSelectedForAReaderThatTakesNothingIsForgottenAndReadAgain() {
    List<WeakReference<byte[]>> values = new ArrayList<>();
    AtomicInteger passes = new AtomicInteger();
    Ends sink = new Ends();
    sink.room = 3;
    RangeBody body =
        new RangeBody(
            () -> {
              passes.incrementAndGet();
              return entries(values);
            },
            "a".getBytes(UTF_8),
            null,
            () -> {});
    body.begin(sink);
    assertThat(sink.pieces).containsExactly("a\na", "b\nb", "c\nc");
    for (int stall = 1; stall < RangeBody.MOST_STALLS; stall++) {
      body.stalled();
    }
    System.gc();
    assertThat(values).filteredOn(value -> value.get() != null).as("kept for a while").hasSize(3);

    body.stalled();
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (values.stream().anyMatch(value -> value.get() != null)) {
      assertThat(System.nanoTime() - deadlineNanos).as("waited too long").isNegative();
      System.gc();
    }
    assertThat(passes).hasValue(1);

    sink.room = 1;
    body.room();
    assertThat(passes).hasValue(2);
    sink.room = 100;
    body.room();
    assertThat(sink.pieces).containsExactly("a\na", "b\nb", "c\nc", "d\nd", "e\ne", "f\nf");
    assertThat(sink.ended).isEqualTo(1);
    assertThat(sink.aborted).isZero();
  }

  /** Entries in the order of their hashes, of which nothing else keeps the values. */
  private static Flowable<Map.Entry<byte[], byte[]>> entries(List<WeakReference<byte[]>> values) {
    return Flowable.just("d", "a", "f", "c", "b", "e")
        .map(
            key -> {
              byte[] value = key.getBytes(UTF_8);
              values.add(new WeakReference<>(value));
              return Map.entry(key.getBytes(UTF_8), value);
            });
  }
}
