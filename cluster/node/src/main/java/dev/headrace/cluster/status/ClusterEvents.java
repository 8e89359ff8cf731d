package dev.headrace.cluster.status;

import dev.headrace.api.ClusterEvent;
import dev.headrace.api.ClusterEvent.NodeJoined;
import dev.headrace.api.ClusterEvent.NodeLeft;
import dev.headrace.api.ClusterEvent.Parting;
import dev.headrace.api.ClusterEvent.Rebalanced;
import dev.headrace.api.ClusterEvent.SegmentsLost;
import dev.headrace.rebalance.message.RebalanceProgress;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells what happens in the cluster: to the log of the node, at the level INFO, and to whoever
 * listens. Used by the thread on which tables come; those who listen are called by an executor, one
 * event after the other.
 */
public final class ClusterEvents implements TableListener {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterEvents.class);

  private final Executor user;
  private @Nullable SegmentTable table; // used by the thread on which tables come
  private volatile Consumer<? super ClusterEvent> listener = event -> {};
  private CompletableFuture<?> told = CompletableFuture.completedFuture(null); // by that thread

  /**
   * @param user runs what may call user code
   */
  public ClusterEvents(Executor user) {
    this.user = user;
  }

  /** Tells somebody from now on. */
  public void to(Consumer<? super ClusterEvent> listening) {
    listener = listening;
  }

  @Override
  public void onTable(TableDelta delta, SegmentTable newImage) {
    SegmentTable before = table;
    table = newImage;
    boolean mayBe = delta.changesMembers() || delta.loses();
    if (before == null || before.clusterId() != newImage.clusterId()) {
      LOG.info("Cluster of {}", ClusterEventText.members(newImage));
    } else if (mayBe) {
      events(before, newImage).forEach(event -> tell(event, ClusterEventText.of(event, newImage)));
    }
  }

  /** A rebalance is complete. */
  public void rebalanced(RebalanceProgress done) {
    Rebalanced event =
        new Rebalanced(done.copies(), done.bytes(), Duration.ofNanos(done.elapsedNanos()));
    tell(event, ClusterEventText.of(event));
  }

  private void tell(ClusterEvent event, String text) {
    LOG.info(text);
    ClusterFlight.note(text);
    Consumer<? super ClusterEvent> present = listener;
    told =
        told.handleAsync(
            (result, failure) -> {
              present.accept(event);
              return result;
            },
            user);
  }

  /** What has happened between two tables of one cluster. */
  static List<ClusterEvent> events(SegmentTable before, SegmentTable now) {
    List<ClusterEvent> events = new ArrayList<>();
    for (Member member : now.members()) {
      if (before.member(member.id()) == null) {
        boolean back = before.isAbsent(member.id());
        events.add(new NodeJoined(member.name(), address(member), back));
      }
    }
    for (Member member : before.members()) {
      if (now.member(member.id()) == null) {
        events.add(new NodeLeft(member.name(), address(member), parting(before, now, member)));
      }
    }
    for (Member member : before.absent()) {
      if (now.member(member.id()) == null && !now.isAbsent(member.id())) {
        events.add(new NodeLeft(member.name(), address(member), Parting.GIVEN_UP));
      }
    }
    Set<Integer> lost =
        IntStream.range(0, Math.min(before.segments(), now.segments()))
            .filter(segment -> now.incarnation(segment) > before.incarnation(segment))
            .boxed()
            .collect(Collectors.toSet());
    if (!lost.isEmpty()) {
      events.add(new SegmentsLost(lost));
    }
    return events;
  }

  private static Parting parting(SegmentTable before, SegmentTable now, Member gone) {
    if (now.isAbsent(gone.id())) {
      return Parting.AWAITED;
    }
    // Whoever leaves in order has handed over its segments before.
    return before.replicas(gone.id()) > 0 ? Parting.LOST : Parting.LEFT;
  }

  private static String address(Member member) {
    return member.host() + ":" + member.dataPort();
  }
}
