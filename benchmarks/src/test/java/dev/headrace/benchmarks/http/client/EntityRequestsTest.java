package dev.headrace.benchmarks.http.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class EntityRequestsTest {
  private static final int KEYS = 1_000;

  private static String text(EntityRequests requests, long number) {
    ByteBuf request = requests.render(UnpooledByteBufAllocator.DEFAULT, number);
    try {
      return request.toString(US_ASCII);
    } finally {
      request.release();
    }
  }

  private static LoadPlan.Work work(boolean put, boolean inTurn) {
    return new LoadPlan.Work(put, inTurn, KEYS, 5, 90, "");
  }

  @Test
  void aWriteHasItsValue() {
    String text = text(new EntityRequests(work(true, true)), 1_007);
    assertThat(text)
        .matches(
            String.join(
                "\r\n",
                "PUT /v0/entity\\?id=k00000007 HTTP/1\\.1",
                "host: localhost",
                "content-length: 5",
                "",
                "[a-z]{5}"));
  }

  @Test
  void aReadMayHaveFurtherParameters() {
    LoadPlan.Work work = work(false, false).withQuery("&ack=1&from=2");
    assertThat(text(new EntityRequests(work), 3))
        .matches(
            String.join(
                "\r\n",
                "GET /v0/entity\\?id=[kx]\\d{8}&ack=1&from=2 HTTP/1\\.1",
                "host: localhost",
                "",
                ""));
  }

  @Test
  void writesInTurnReachEveryKey() {
    EntityRequests requests = new EntityRequests(work(true, true));
    Set<String> written = new HashSet<>();
    for (int i = 0; i < KEYS; i++) {
      written.add(text(requests, i));
    }
    assertThat(written).hasSize(KEYS);
  }

  @Test
  void nineInTenReadsAskForAKeyThatIsThere() {
    EntityRequests requests = new EntityRequests(work(false, false));
    int hits = 0;
    for (int i = 0; i < 10_000; i++) {
      boolean hit = text(requests, i).startsWith("GET /v0/entity?id=k");
      hits += hit ? 1 : 0;
      assertThat(requests.isExpected(i, 200, 5)).isEqualTo(hit);
      assertThat(requests.isExpected(i, 404, 0)).isEqualTo(!hit);
      assertThat(requests.isExpected(i, 200, 4)).isFalse();
    }
    assertThat(hits).isCloseTo(9_000, within(200));
  }
}
