package dev.headrace.cluster.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.ClusterEvent;
import dev.headrace.api.ClusterEvent.NodeJoined;
import dev.headrace.api.ClusterEvent.NodeLeft;
import dev.headrace.api.ClusterEvent.Parting;
import dev.headrace.api.ClusterEvent.Rebalanced;
import dev.headrace.api.ClusterEvent.Resumed;
import dev.headrace.api.ClusterEvent.SegmentsLost;
import dev.headrace.api.ClusterEvent.Suspended;
import dev.headrace.api.Registration;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.cluster.node.NodeCluster;
import dev.headrace.cluster.node.RecordedLog;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What nodes tell of their cluster. */
@Timeout(120)
class ClusterEventsTest {
  private static final long LIMIT_SECONDS = 60;
  private static final NodeId ONE = new NodeId(0, 1);
  private static final NodeId TWO = new NodeId(0, 2);
  private static final NodeId THREE = new NodeId(0, 3);
  private static final Member CLIENT = new Member(THREE, "three", "localhost", 3, "", 0);

  private final SegmentTable table =
      SegmentTable.of(
          new TableHeader(10, 5, 6, 7, 5, 1, 100),
          List.of(
              new Member(ONE, "one", "localhost", 1, "", 1),
              new Member(TWO, "two", "localhost", 2, "", 1)),
          new int[][] {{0}, {0}, {0}, {0}, {1}});

  @Test
  void whoComesAndGoesIsNamed() {
    SegmentTable more = table.withMembers(11, List.of(CLIENT));
    assertThat(ClusterEvents.events(table, more))
        .containsExactly(new NodeJoined("three", "localhost:3", false));

    SegmentTable handedOver = more.apply(more.edit(12).owners(4, List.of(ONE)).delta());
    SegmentTable left = handedOver.apply(handedOver.edit(13).removeMembers(List.of(TWO)).delta());
    assertThat(ClusterEvents.events(handedOver, left))
        .containsExactly(new NodeLeft("two", "localhost:2", Parting.LEFT));
  }

  @Test
  void aNodeThatHeldSegmentsToTheEndHasNotLeftInOrder() {
    SegmentTable crashed = table.apply(table.edit(11).removeMembers(List.of(TWO)).delta());
    assertThat(ClusterEvents.events(table, crashed))
        .containsExactly(
            new NodeLeft("two", "localhost:2", Parting.LOST), new SegmentsLost(Set.of(4)));
  }

  @Test
  void theLastNodeThatClosesHasLeftInOrder() {
    SegmentTable alone = table.apply(table.edit(11).removeMembers(List.of(ONE)).delta());
    SegmentTable ended = alone.apply(alone.edit(12).removeMembers(List.of(TWO)).delta());
    NodeLeft left = new NodeLeft("two", "localhost:2", Parting.LEFT);
    SegmentTable watched = alone.withMembers(12, List.of(CLIENT));
    SegmentTable empty = watched.apply(watched.edit(13).removeMembers(List.of(TWO)).delta());
    assertThat(ClusterEvents.events(watched, empty)).containsExactly(left);
    assertThat(ClusterEvents.events(alone, ended)).containsExactly(left);
    assertThat(ClusterEventText.of(left, ended))
        .isEqualTo("two (localhost:2) has left; 0 nodes; the cluster has ended");
  }

  @Test
  void aChangeOfOwnersAloneIsNoEvent() {
    SegmentTable moved = table.apply(table.edit(11).owners(0, List.of(TWO)).delta());
    assertThat(ClusterEvents.events(table, moved)).isEmpty();
  }

  @Test
  void everyEventHasALineForTheLog() {
    assertThat(ClusterEventText.of(new NodeJoined("two", "localhost:2", false), table))
        .isEqualTo("two (localhost:2) has joined; 2 nodes");
    assertThat(ClusterEventText.of(new NodeLeft("two", "localhost:2", Parting.LEFT), table))
        .isEqualTo("two (localhost:2) has left; 2 nodes");
    assertThat(ClusterEventText.of(new SegmentsLost(Set.of(1, 2))))
        .isEqualTo("2 segments have lost all their owners and begin empty");
    assertThat(ClusterEventText.of(new Rebalanced(1234, 5_600_000, Duration.ofMillis(2_300))))
        .isEqualTo("Rebalanced: 1,234 replicas of segments were copied in 2.3 s, 5.6 MB");
    assertThat(ClusterEventText.of(new Suspended("two is missing", List.of("two"))))
        .isEqualTo("two is missing");
    assertThat(ClusterEventText.of(new Resumed(Duration.ofMillis(12_345))))
        .isEqualTo("This node serves again after 12.3 s");
    assertThat(ClusterEventText.members(table))
        .isEqualTo("2 nodes: one (localhost:1), two (localhost:2)");
  }

  @Test
  void aSuspensionIsToldWithItsReasonsAndItsLength() {
    AtomicLong nanos = new AtomicLong();
    List<ClusterEvent> heard = new ArrayList<>();
    ClusterEvents events = new ClusterEvents("one", Runnable::run, nanos::get);
    events.to(heard::add);
    try (RecordedLog log = RecordedLog.of(ClusterEvents.class)) {
      events.suspended("two is missing", List.of("two"));
      nanos.addAndGet(1_000_000_000);
      events.suspended("two and three are missing", List.of("two", "three"));
      nanos.addAndGet(2_000_000_000);
      events.suspended(null, List.of());
      events.suspended(null, List.of());
      assertThat(log.warnings()).containsExactly("two is missing", "two and three are missing");
    }
    assertThat(heard)
        .containsExactly(
            new Suspended("two is missing", List.of("two")),
            new Suspended("two and three are missing", List.of("two", "three")),
            new Resumed(Duration.ofSeconds(3)));
  }

  @Test
  void theLifeThatFollowsOnARetiredOneServesAgainUnlessItIsSuspendedToo() {
    AtomicLong nanos = new AtomicLong();
    List<ClusterEvent> heard = new ArrayList<>();
    ClusterEvents first = new ClusterEvents("one", Runnable::run, nanos::get);
    first.to(heard::add);
    ClusterEvents second = new ClusterEvents("one", Runnable::run, nanos::get);
    ClusterEvents third = new ClusterEvents("one", Runnable::run, nanos::get);
    try (RecordedLog unused = RecordedLog.of(ClusterEvents.class)) {
      first.retire("the first cluster is gone", List.of("two"));
      first.suspended(null, List.of());
      nanos.addAndGet(5_000_000_000L);
      second.to(heard::add);
      second.follow(first);
      second.suspended("four is missing", List.of("four"));
      second.retire("the second cluster is gone", List.of());
      nanos.addAndGet(5_000_000_000L);
      third.suspended("five is missing", List.of("five"));
      third.to(heard::add);
      third.follow(second);
      nanos.addAndGet(1_000_000_000L);
      third.suspended(null, List.of());
    }
    assertThat(heard)
        .containsExactly(
            new Suspended("the first cluster is gone", List.of("two")),
            new Resumed(Duration.ofSeconds(5)),
            new Suspended("four is missing", List.of("four")),
            new Suspended("the second cluster is gone", List.of()),
            new Suspended("five is missing", List.of("five")),
            new Resumed(Duration.ofSeconds(6)));
  }

  @Test
  void aClientHearsThatItServesNothingUntilItsClusterIsThereAgain() throws InterruptedException {
    BlockingQueue<ClusterEvent> heard = new LinkedBlockingQueue<>();
    try (NodeCluster cluster = NodeCluster.of(1)) {
      HeadraceNode client = cluster.start(settings -> settings.capacity(0));
      client.cache("events", String.class, String.class).put("key", "value");
      try (Registration unused = client.listen(heard::add)) {
        cluster.node(0).kill();
        Suspended suspended = next(heard, Suspended.class);
        assertThat(suspended.reason()).isNotEmpty();
        assertThat(suspended.missing()).containsExactly("node-0");
        cluster.start(settings -> settings);
        assertThat(next(heard, Resumed.class).elapsed()).isPositive();
        assertThat(client.status().suspendedBecause()).isNull();
      }
    }
  }

  @Test
  void listenersHearInOrderOfNodesThatJoinLeaveAndCrash() throws InterruptedException {
    BlockingQueue<ClusterEvent> heard = new LinkedBlockingQueue<>();
    try (NodeCluster cluster = NodeCluster.of(2)) {
      HeadraceNode first = cluster.node(0);
      Cache<String, String> cache = first.cache("events", String.class, String.class);
      cache.put("key", "value");
      first.listen(
          event -> {
            throw new IllegalStateException("a listener that fails harms nobody");
          });
      try (RecordedLog log = RecordedLog.of(HeadraceNode.class);
          Registration unused = first.listen(heard::add)) {
        HeadraceNode third = cluster.start(settings -> settings.nodeName("third"));
        assertThat(next(heard, NodeJoined.class).node()).isEqualTo("third");
        assertThat(next(heard, Rebalanced.class).replicas()).isPositive();
        third.close();
        NodeLeft left = next(heard, NodeLeft.class);
        assertThat(left.node()).isEqualTo("third");
        assertThat(left.parting()).isEqualTo(Parting.LEFT);
        cluster.node(1).kill();
        assertThat(next(heard, NodeLeft.class).parting()).isIn(Parting.LOST, Parting.AWAITED);
        assertThat(log.warnings()).isNotEmpty();
      }
      heard.clear();
      cluster.start(settings -> settings.nodeName("unheard"));
      assertThat(heard).isEmpty();
    }
  }

  /** The next event of a kind; those of other kinds before it are left out. */
  private static <E extends ClusterEvent> E next(BlockingQueue<ClusterEvent> heard, Class<E> kind)
      throws InterruptedException {
    while (true) {
      ClusterEvent event = heard.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
      if (kind.isInstance(event)) {
        return kind.cast(event);
      }
      assertThat(event).as("an event while a %s is waited for", kind.getSimpleName()).isNotNull();
    }
  }
}
