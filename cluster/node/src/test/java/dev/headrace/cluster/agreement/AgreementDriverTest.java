package dev.headrace.cluster.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.membership.Membership;
import dev.headrace.cluster.membership.MembershipListener;
import dev.headrace.cluster.node.Images;
import dev.headrace.cluster.node.RecordedLog;
import dev.headrace.cluster.status.CurrentTable;
import dev.headrace.rebalance.agreement.AgreementSettings;
import dev.headrace.rebalance.agreement.ClusterTerms;
import dev.headrace.rebalance.agreement.ControlMessage;
import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.rebalance.agreement.TableAgreement;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.publish.TableGossip;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.ProtocolVersions;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the agreement's driver survives. */
class AgreementDriverTest {
  private static final int PROTOCOL = ProtocolVersions.OWN.newest();
  private static final ClusterClock.Stamp NO_TIME = new ClusterClock.Stamp(0, 0, 0, 0);
  private static final NodeId SELF = new NodeId(0, 1);
  private static final NodeId OTHER = new NodeId(0, 2);

  private final Queue<Runnable> control = new ArrayDeque<>();
  private final List<String> decisions = new ArrayList<>();
  private final List<String> order = new ArrayList<>();
  private @Nullable String sendThrows;
  private int sent;
  private long nowNanos;

  private final Membership membership =
      new Membership() {
        @Override
        public NodeId self() {
          return SELF;
        }

        @Override
        public void start(MembershipListener listener) {}

        @Override
        public void send(NodeId to, byte[] message) {
          sent++;
          order.add("sent");
          if (sendThrows != null) {
            throw new NodeClosedException(sendThrows);
          }
        }

        @Override
        public Executor executor() {
          return control::add;
        }

        @Override
        public void close() {}

        @Override
        public void kill() {}
      };

  private final Timer timer =
      new Timer() {
        @Override
        public long nanoTime() {
          return nowNanos;
        }

        @Override
        public Cancellable schedule(long delayNanos, Runnable task) {
          throw new AssertionError("an agreement's driver sets no alarm");
        }
      };

  private final AgreementDriver.Listener listener =
      new AgreementDriver.Listener() {
        @Override
        public void onTable(TableDelta delta, SegmentTable newImage) {
          decisions.add("installed");
          order.add("installed");
        }

        @Override
        public void ticked(long nowNanos) {}

        @Override
        public void leased(long untilNanos) {}

        @Override
        public void coordinating(boolean coordinates) {}

        @Override
        public void leaving(Set<NodeId> nodes) {}

        @Override
        public void refused(String reason) {
          decisions.add("refused");
        }

        @Override
        public void left() {
          decisions.add("left");
        }

        @Override
        public void suspended(@Nullable String reason) {
          decisions.add("suspended");
        }

        @Override
        public void stalled(SegmentTable inForce, String reason) {
          decisions.add("stalled");
        }
      };

  private final AgreementDriver driver =
      new AgreementDriver(
          membership,
          control::add,
          timer::nanoTime,
          new ClusterClock(timer::nanoTime, 1000),
          listener,
          NodeProbe.NONE,
          effects ->
              new TableAgreement(
                  AgreementSettings.of(
                      new Member(SELF, "node", "localhost", 1, "", 1),
                      new ClusterTerms("cluster", 4, 1, 100, OptionalLong.empty()),
                      SplitPolicy.DENY),
                  new WeightedRendezvous(),
                  new Random(1),
                  effects));

  private void runControl() {
    for (Runnable task = control.poll(); task != null; task = control.poll()) {
      task.run();
    }
  }

  @Test
  void aTruncatedOrForgedControlMessageIsDropped() {
    byte[] whole =
        new ControlEnvelope(NO_TIME, new ControlMessage.Refuse(1, "go away")).encode(PROTOCOL);
    int forgeries = 200;
    try (RecordedLog log = RecordedLog.of(AgreementDriver.class)) {
      for (int length = 0; length < whole.length; length++) {
        driver.received(OTHER, Arrays.copyOf(whole, length));
      }
      Random random = new Random(17);
      for (int i = 0; i < forgeries; i++) {
        byte[] forged = new byte[random.nextInt(200)];
        random.nextBytes(forged);
        driver.received(OTHER, forged);
      }
      runControl();
      assertThat(log.warnings())
          .hasSize(whole.length + forgeries)
          .allMatch(text -> text.equals("A control message of " + OTHER + " is dropped"));
    }
    driver.viewChanged(new MemberView(1, List.of(SELF)));
    runControl();
    assertThat(decisions).as("the agreement goes on, alone").containsExactly("installed");
  }

  @Test
  void aMembershipThatRefusesToSendEndsNoEvent() {
    sendThrows = "the membership has ended";
    try (RecordedLog log = RecordedLog.of(AgreementDriver.class)) {
      driver.viewChanged(new MemberView(1, List.of(SELF, OTHER)));
      runControl();
      assertThat(sent).isPositive();
      assertThat(log.warnings()).hasSize(1);
    }
    driver.viewChanged(new MemberView(2, List.of(SELF)));
    runControl();
    assertThat(decisions).containsExactly("installed");
  }

  @Test
  void whyNothingIsSentToANodeIsSaidOncePerReasonUntilItIsSentAgain() {
    String unsent = "Control messages to " + OTHER + " are not sent: ";
    try (RecordedLog log = RecordedLog.of(AgreementDriver.class)) {
      sendThrows = "the membership has ended";
      greetAnew(1);
      greetAnew(2);
      sendThrows = "no memory";
      greetAnew(3);
      greetAnew(4);
      assertThat(log.warnings())
          .containsExactly(unsent + "the membership has ended", unsent + "no memory");
      assertThat(log.stackTraces()).isZero();

      sendThrows = null;
      greetAnew(5);
      sendThrows = "no memory";
      greetAnew(6);
      assertThat(log.warnings()).hasSize(3).endsWith(unsent + "no memory");
    }
  }

  /** Lets the driver send to the other node. */
  private void greetAnew(long mark) {
    int before = sent;
    driver.viewChanged(new MemberView(mark, List.of(SELF, OTHER)));
    runControl();
    assertThat(sent).isGreaterThan(before);
  }

  @Test
  void theOthersHearOfATableBeforeThisNodeActsOnIt() {
    driver.viewChanged(new MemberView(1, List.of(SELF, OTHER)));
    ControlMessage.Hello hello =
        new ControlMessage.Hello(
            1,
            1,
            new Member(OTHER, "other", "localhost", 2, "", 0),
            new ClusterTerms("cluster", 4, 1, 100, OptionalLong.empty()),
            null,
            null,
            0,
            false,
            false);
    driver.received(OTHER, new ControlEnvelope(NO_TIME, hello).encode(PROTOCOL));
    runControl();
    assertThat(order).endsWith("sent", "installed");
  }

  @Test
  void ticksThatNobodyHadTimeForDoNotPileUp() {
    for (int i = 0; i < 100; i++) {
      driver.tick();
    }
    assertThat(control).hasSize(1);
    runControl();
    driver.tick();
    assertThat(control).hasSize(1);
  }

  @Test
  void aFloodOfTableNoticesFillsNoQueue() {
    CurrentTable current = new CurrentTable(SELF);
    Member self = new Member(SELF, "node", "localhost", 1, "", 1);
    TableHeader header = new TableHeader(Epoch.first(1, SELF), 5, 0, 7, 1, 1, 1 << 20);
    SegmentTable table = SegmentTable.of(header, List.of(self), new int[][] {{0}});
    Images.install(current, table);
    List<Message> asked = new ArrayList<>();
    TableGossip gossip = new TableGossip((to, message) -> asked.add(message));
    Images.install(gossip, table);
    TableNews news = new TableNews(current, gossip, driver);
    for (int i = 1; i <= 100_000; i++) {
      news.noticed(OTHER, TableNotice.at(table.epoch() + i));
    }
    assertThat(control).hasSize(1);
    runControl();
    assertThat(asked).containsExactly(TableNotice.at(table.epoch()));
    news.noticed(OTHER, TableNotice.at(table.epoch() + 1));
    assertThat(control).as("the next one is heard").hasSize(1);
  }
}
