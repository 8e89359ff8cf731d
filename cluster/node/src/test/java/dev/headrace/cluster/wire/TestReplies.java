package dev.headrace.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.replication.message.OperationReply;
import dev.headrace.stream.batch.Batch;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Makes and checks what nodes of these tests answer. */
final class TestReplies {
  private TestReplies() {}

  static OperationReply reply(int bytes) {
    byte[] value = new byte[bytes];
    new Random(bytes).nextBytes(value);
    return new OperationReply(bytes, OperationReply.Outcome.DONE, true, value, 1, 2, 3, 4);
  }

  static void assertFilled(Batch batch, int first, int bytes) {
    ByteBuffer entries = batch.entries();
    assertThat(entries.isDirect()).isTrue();
    assertThat(entries.remaining()).isEqualTo(bytes);
    byte expected = (byte) first;
    while (entries.hasRemaining()) {
      if (entries.get() != expected++) {
        throw new AssertionError("another byte at " + entries.position());
      }
    }
  }

  static Batch get(CompletableFuture<Batch> answer) throws Exception {
    try {
      return answer.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw (Exception) e.getCause();
    }
  }
}
