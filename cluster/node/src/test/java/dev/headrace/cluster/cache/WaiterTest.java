package dev.headrace.cluster.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.message.Operation.Kind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a thread is told that is interrupted while it waits for one request. */
class WaiterTest {
  private static final byte[] KEY = {1};

  @AfterEach
  void clearTheFlag() {
    Thread.interrupted();
  }

  @Test
  void anInterruptedReadHasChangedNothing() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> new Waiter(Request.get("quotes", 1, KEY, true), 0).await())
        .isInstanceOf(HeadraceException.class)
        .isNotInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("\"quotes\"")
        .hasMessageContaining("nothing was changed")
        .hasMessageContaining("read again");
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
  }

  @Test
  void anInterruptedWriteMayTakeEffect() {
    Request put = Request.set(Kind.PUT, "quotes", 1, KEY, KEY, 0, false);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> new Waiter(put, 0).await())
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("\"quotes\"")
        .hasMessageContaining("may or may not")
        .hasMessageContaining("read before writing again");
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
  }
}
