package dev.headrace.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.node.RecordedLog;
import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.stream.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class DeliveriesTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final NodeId SELF = new NodeId(0, 1);
  private static final NodeId OTHER = new NodeId(0, 2);

  private final List<String> heard = new CopyOnWriteArrayList<>();
  private final Await await = new Await();
  private final Deliveries deliveries =
      new Deliveries("deliveries-test", () -> heard.add("overrun"));

  @AfterEach
  void close() {
    deliveries.close();
  }

  @Test
  void aMessageWaitsForTheViewThatNamesItsSender() {
    deliveries.open(new Recorder());
    deliveries.view(view(1, SELF));
    deliveries.message(OTHER, new byte[] {7});
    deliveries.message(SELF, new byte[] {8});
    deliveries.view(view(2, SELF, OTHER));
    deliveries.message(OTHER, new byte[] {9});
    await("view 1", "8 from 1", "view 2", "7 from 2", "9 from 2");
  }

  @Test
  void ofTooManyEarlyMessagesTheOldestIsDropped() {
    try (RecordedLog log = RecordedLog.of(Deliveries.class)) {
      deliveries.open(new Recorder());
      deliveries.view(view(1, SELF));
      for (int i = 0; i <= Deliveries.MAX_EARLY; i++) {
        deliveries.message(OTHER, new byte[] {(byte) (i == 0 ? 1 : 2)});
      }
      deliveries.view(view(2, SELF, OTHER));
      deliveries.message(SELF, new byte[] {3});
      await.until("the last message", LIMIT, () -> heard.contains("3 from 1"));
      assertThat(log.warnings()).singleElement().asString().startsWith("Dropped the oldest of");
    }
    assertThat(heard).hasSize(Deliveries.MAX_EARLY + 3).doesNotContain("1 from 2");
  }

  @Test
  void aCallbackThatThrowsDoesNotStopTheNext() {
    deliveries.open(new Recorder());
    deliveries.view(view(1, SELF));
    try (RecordedLog log = RecordedLog.of(Deliveries.class)) {
      deliveries.message(SELF, new byte[] {0});
      deliveries.message(SELF, new byte[] {1});
      await("view 1", "1 from 1");
      assertThat(log.warnings())
          .containsExactly("A membership callback failed; the next one follows");
    }
  }

  @Test
  void whatComesBeforeTheOpeningIsHeardAfterIt() {
    deliveries.view(view(1, SELF));
    IntStream.rangeClosed(1, 3).forEach(i -> deliveries.message(SELF, new byte[] {(byte) i}));
    assertThat(heard).isEmpty();
    deliveries.open(new Recorder());
    await("view 1", "1 from 1", "2 from 1", "3 from 1");
  }

  @Test
  void nothingIsHeardAfterTheClose() {
    deliveries.open(new Recorder());
    deliveries.view(view(1, SELF));
    await("view 1");
    deliveries.close();
    deliveries.message(SELF, new byte[] {1});
    assertThat(heard).containsExactly("view 1");
  }

  private void await(String... expected) {
    await.until(List.of(expected).toString(), LIMIT, () -> heard.size() >= expected.length);
    assertThat(heard).containsExactly(expected);
  }

  private static MemberView view(long mark, NodeId... members) {
    return new MemberView(mark, List.of(members));
  }

  private final class Recorder implements MembershipListener {
    @Override
    public void viewChanged(MemberView view) {
      heard.add("view " + view.mark());
      await.changed();
    }

    @Override
    public void received(NodeId from, byte[] message) {
      if (message[0] == 0) {
        throw new IllegalStateException("a listener's mistake");
      }
      heard.add(message[0] + " from " + from.low());
      await.changed();
    }
  }
}
