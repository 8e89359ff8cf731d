package dev.headrace.cluster.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.Failure;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How many requests of a bulk method are under way. */
class BulkTest {
  private final Port port = new Port();
  private final List<Integer> handled = new ArrayList<>();
  private int wakes;

  /** Keeps requests until they are answered. */
  private static final class Port extends RoutelessPort {
    final ArrayDeque<Completion> waiting = new ArrayDeque<>();
    int submitted;
    long bytes;

    @Override
    public void submit(Request request, Completion completion) {
      submitted++;
      byte[] value = request.value();
      bytes += value == null ? 0 : value.length;
      waiting.add(completion);
    }

    void answer(int count, int valueBytes) {
      for (int i = 0; i < count; i++) {
        byte[] value = new byte[valueBytes];
        waiting.remove().done(new OperationReply(0, Outcome.DONE, true, value, 0, 0, 0, 0));
      }
    }
  }

  private static Request put(int valueBytes) {
    return Request.set(Kind.PUT, "c", 1, new byte[4], new byte[valueBytes], 0, false);
  }

  private static Request get() {
    return Request.get("c", 1, new byte[4], true);
  }

  private Bulk<Integer> bulk(int items, Function<Integer, Request> encode) {
    return bulk(items, encode, (item, reply) -> handled.add(item));
  }

  private Bulk<Integer> bulk(
      int items, Function<Integer, Request> encode, BiConsumer<Integer, OperationReply> handler) {
    Iterator<Integer> all = IntStream.range(0, items).iterator();
    return new Bulk<>(all, encode, handler, port, () -> wakes++);
  }

  @Test
  void nothingToDoEndsAtOnce() {
    assertThat(bulk(0, item -> get()).step()).isTrue();
    assertThat(wakes).isZero();
  }

  @Test
  void smallPutsAreBoundedByTheirNumber() {
    assertThat(bulk(10_000, item -> put(10)).step()).isFalse();
    assertThat(port.submitted).isEqualTo(Bulk.MAX_REQUESTS);
  }

  @Test
  void largePutsAreBoundedByTheirBytes() {
    Bulk<Integer> bulk = bulk(4096, item -> put(64 << 10));
    assertThat(bulk.step()).isFalse();
    assertThat(port.bytes).isBetween(Bulk.MAX_BYTES / 2, Bulk.MAX_BYTES);
    while (port.submitted < 4096) {
      port.answer(port.waiting.size(), 0);
      assertThat(bulk.step()).isFalse();
      assertThat(port.waiting.size() * (64L << 10)).isLessThanOrEqualTo(Bulk.MAX_BYTES);
    }
    port.answer(port.waiting.size(), 0);
    assertThat(bulk.step()).isTrue();
    assertThat(handled).hasSize(4096);
  }

  @Test
  void aPutLargerThanTheWindowGoesAlone() {
    Bulk<Integer> bulk = bulk(3, item -> put(5 << 20));
    for (int i = 1; i <= 3; i++) {
      assertThat(bulk.step()).isFalse();
      assertThat(port.submitted).isEqualTo(i);
      port.answer(1, 0);
    }
    assertThat(bulk.step()).isTrue();
  }

  @Test
  void getsBeginWithFewAndGrowWhileValuesAreSmall() {
    Bulk<Integer> bulk = bulk(100_000, item -> get());
    assertThat(bulk.step()).isFalse();
    assertThat(port.submitted).isBetween(32, 64);
    for (int round = 0; round < 3; round++) {
      port.answer(port.waiting.size(), 10);
      assertThat(bulk.step()).isFalse();
    }
    assertThat(port.waiting).hasSize(Bulk.MAX_REQUESTS);
  }

  @Test
  void getsOfLargeValuesStayFew() {
    Bulk<Integer> bulk = bulk(1000, item -> get());
    assertThat(bulk.step()).isFalse();
    for (int round = 0; round < 4; round++) {
      port.answer(port.waiting.size(), 1 << 20);
      assertThat(bulk.step()).isFalse();
      assertThat(port.waiting.size()).isBetween(1, 4);
    }
  }

  @Test
  void itIsWokenOnceWhenHalfOfTheWindowHasEnded() {
    Bulk<Integer> bulk = bulk(10_000, item -> put(10));
    assertThat(bulk.step()).isFalse();
    port.answer(Bulk.MAX_REQUESTS / 2 - 1, 0);
    assertThat(wakes).isZero();
    port.answer(100, 0);
    assertThat(wakes).isEqualTo(1);
    assertThat(bulk.step()).isFalse();
    assertThat(port.waiting).hasSize(Bulk.MAX_REQUESTS);
  }

  @Test
  void theFirstFailureEndsItWhenAllOthersHaveEnded() {
    Bulk<Integer> bulk = bulk(10_000, item -> put(10));
    assertThat(bulk.step()).isFalse();
    port.waiting
        .remove()
        .failed(
            new OperationFault(
                Failure.UNAVAILABLE, "nobody is there", FaultScope.ofSegment("c", 7)));
    port.answer(Bulk.MAX_REQUESTS - 2, 0);
    assertThat(bulk.step()).isFalse();
    assertThat(port.submitted).as("nothing more is sent").isEqualTo(Bulk.MAX_REQUESTS);
    port.answer(1, 0);
    assertThat(bulk.step()).isTrue();
    assertThat(bulk.failure())
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("nobody is there")
        .isInstanceOfSatisfying(
            UnavailableException.class,
            failure -> {
              assertThat(failure.cache()).isEqualTo("c");
              assertThat(failure.segments()).containsExactly(7);
            });
  }

  @Test
  void whatCannotBeEncodedOrHandledEndsItToo() {
    AssertionError broken = new AssertionError("a codec with an error");
    Bulk<Integer> encoding =
        bulk(
            3,
            item -> {
              if (item == 1) {
                throw broken;
              }
              return get();
            });
    assertThat(encoding.step()).isFalse();
    port.answer(1, 1);
    assertThat(encoding.step()).isTrue();
    assertThat(encoding.failure()).isSameAs(broken);

    Bulk<Integer> handling =
        bulk(
            1,
            item -> get(),
            (item, reply) -> {
              throw broken;
            });
    assertThat(handling.step()).isFalse();
    port.answer(1, 1);
    assertThat(handling.step()).isTrue();
    assertThat(handling.failure()).isSameAs(broken);
  }

  @Test
  void everyItemIsHandledOnce() {
    Bulk<Integer> bulk = bulk(20_000, item -> item % 3 == 0 ? get() : put(item % 2000));
    while (!bulk.step()) {
      port.answer(Math.max(1, port.waiting.size() * 2 / 3), 100);
    }
    Collections.sort(handled);
    assertThat(handled).isEqualTo(IntStream.range(0, 20_000).boxed().toList());
  }
}
