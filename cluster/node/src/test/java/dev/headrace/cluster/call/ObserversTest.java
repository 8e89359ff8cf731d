package dev.headrace.cluster.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Registration;
import dev.headrace.stream.pull.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Those who observe a node, some of whom fail. */
class ObserversTest {
  private final AtomicInteger changes = new AtomicInteger();
  private final Observers observers = new Observers(changes::incrementAndGet);
  private final List<String> heard = new ArrayList<>();

  private StreamObserver hearing() {
    return cache -> {
      heard.add("begun " + cache);
      return new StreamObserver.Stream() {
        @Override
        public StreamObserver.Batch asked(String node) {
          heard.add("asked " + node);
          return new StreamObserver.Batch() {
            @Override
            public void received(int entries, long bytes) {
              heard.add("received " + entries + " " + bytes);
            }

            @Override
            public void failed(Throwable cause) {
              heard.add("failed " + cause.getMessage());
            }
          };
        }

        @Override
        public void ended(long elements, boolean complete, @Nullable Throwable failure) {
          heard.add("ended " + elements + " " + complete);
        }
      };
    };
  }

  @Test
  void whomNobodyObservesHasNobodyToTell() {
    assertThat(observers.streams()).isNull();
    assertThat(observers.calls()).isNull();
    Registration one = observers.add(hearing());
    assertThat(observers.streams()).isNotNull();
    assertThat(observers.calls()).isNull();
    one.close();
    assertThat(observers.streams()).isNull();
    assertThat(changes).hasValue(2);
  }

  @Test
  void whatOneThrowsTheOthersDoNotNotice() {
    StreamObserver failing =
        cache -> {
          throw new IllegalStateException("broken");
        };
    observers.add(failing);
    observers.add(hearing());
    StreamObserver.Stream stream = Objects.requireNonNull(observers.streams()).begun("c");
    stream.asked("a").received(3, 70);
    stream.asked("b").failed(new IllegalStateException("gone"));
    stream.ended(3, true, null);
    assertThat(heard)
        .containsExactly(
            "begun c", "asked a", "received 3 70", "asked b", "failed gone", "ended 3 true");
  }
}
