package dev.headrace.cluster.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.FunctionMissingException;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Caches whose owners never agree, or never answer. */
class ComputationTest {
  private static final long TIMEOUT_NANOS = 100;

  private final AtomicLong nowNanos = new AtomicLong();
  private boolean silent;
  private int writes;

  @AfterEach
  void clearTheFlag() {
    Thread.interrupted();
  }

  /** Somebody else always writes between a read and a write; every answer takes 10 ns. */
  private final class Contended extends RoutelessPort {
    @Override
    public void submit(Request request, Completion completion) {
      if (silent) {
        return;
      }
      nowNanos.addAndGet(10);
      boolean read = request.kind() == Kind.GET;
      writes += read ? 0 : 1;
      byte[] value = "other".getBytes(StandardCharsets.UTF_8);
      completion.done(new OperationReply(0, Outcome.DONE, read, value, 1, writes, 0, 0));
    }
  }

  private Cache<String, String> cache() {
    return cache(Operation.PROCESS_PROTOCOL);
  }

  private Cache<String, String> cache(int protocol) {
    return CacheView.open(
        AgreedSettings.fixed(CacheSettings.of("quotes", String.class, String.class)),
        new CacheView.Place(
            () -> 1,
            () -> 0,
            () -> 1 << 20,
            () -> protocol,
            new Contended(),
            Runnable::run,
            new CacheView.Patience(nowNanos::get, () -> 0, TIMEOUT_NANOS),
            new KeyQueues()),
        MapViewTest.noStreams());
  }

  @Test
  void aProcessorIsRefusedWhereANodeDoesNotKnowTheOperation() {
    FunctionName<String, String> any = FunctionName.of("any", Codecs.string(), Codecs.string());
    assertThatThrownBy(() -> cache(Operation.PROCESS_PROTOCOL - 1).process("k", any, "x"))
        .isInstanceOf(FunctionMissingException.class)
        .hasMessageContaining("upgrade it first");
    assertThat(writes).as("requests that were sent").isZero();
  }

  @Test
  void aComputationThatIsAlwaysOvertakenEndsWithItsTime() {
    assertThatThrownBy(() -> cache().merge("k", "!", String::concat))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("\"quotes\"")
        .hasMessageContaining("nothing was written")
        .hasMessageContaining("operationTimeout");
    assertThat(writes).isBetween(5, 15);
  }

  @Test
  void anAsynchronousOneDoesToo() {
    assertThatThrownBy(
            () -> cache().async().compute("k", (k, v) -> v + "!").toCompletableFuture().join())
        .hasCauseInstanceOf(UnavailableException.class);
    assertThat(writes).isBetween(5, 15);
  }

  @Test
  void bulkMethodsReactToInterrupts() {
    silent = true;
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> cache().putAll(Map.of("k", "v")))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("\"quotes\"");
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
    assertThatThrownBy(() -> cache().getAll(List.of("k")))
        .isNotInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("nothing was changed");
  }
}
