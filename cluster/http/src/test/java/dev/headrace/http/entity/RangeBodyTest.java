package dev.headrace.http.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.http.exchange.BodySink;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A range whose stream cannot begin. */
final class RangeBodyTest {

  /** Counts what becomes of a body. */
  private static final class Ends implements BodySink {
    int aborted;
    int ended;

    @Override
    public void write(byte[] piece) {}

    @Override
    public boolean hasRoom() {
      return true;
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
}
