package dev.headrace.cluster.status;

import dev.headrace.api.ClusterEvent;
import dev.headrace.api.ClusterEvent.NodeJoined;
import dev.headrace.api.ClusterEvent.NodeLeft;
import dev.headrace.api.ClusterEvent.Parting;
import dev.headrace.api.ClusterEvent.Rebalanced;
import dev.headrace.api.ClusterEvent.Resumed;
import dev.headrace.api.ClusterEvent.SegmentsLost;
import dev.headrace.api.ClusterEvent.Suspended;
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
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells what happens in the cluster: to the log of the node, at the level INFO or, where somebody
 * has to do something, WARN, to the JDK's flight recorder, and to whoever listens. Those who listen
 * are called by an executor, one event after the other.
 *
 * <p>Tables, rebalances and suspensions come on one thread; the end of the node's life, and what
 * follows on it, on any.
 */
public final class ClusterEvents implements TableListener {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterEvents.class);

  private final String node;
  private final Executor user;
  private final LongSupplier nanoTime;
  private @Nullable SegmentTable table; // used by the thread on which tables come
  private volatile Consumer<? super ClusterEvent> listener = event -> {};

  /** Complete when whoever listens has heard of the last event. */
  private final AtomicReference<CompletableFuture<@Nullable Void>> told =
      new AtomicReference<>(CompletableFuture.completedFuture(null));

  private @Nullable Suspension suspension; // guarded by this
  private boolean retired; // guarded by this

  /**
   * A time in which this node serves nothing.
   *
   * @param last what was told of it last
   * @param sinceNanos when it began
   */
  private record Suspension(Suspended last, long sinceNanos, SuspensionFlight flight) {

    Suspension with(Suspended newer) {
      return new Suspension(newer, sinceNanos, flight);
    }
  }

  /**
   * @param node the name of this node
   * @param user runs what may call user code
   * @param nanoTime a monotonic clock
   */
  public ClusterEvents(String node, Executor user, LongSupplier nanoTime) {
    this.node = node;
    this.user = user;
    this.nanoTime = nanoTime;
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
      events(before, newImage).forEach(event -> note(event, ClusterEventText.of(event, newImage)));
    }
  }

  /** A rebalance is complete. */
  public void rebalanced(RebalanceProgress done) {
    Rebalanced event =
        new Rebalanced(done.copies(), done.bytes(), Duration.ofNanos(done.elapsedNanos()));
    note(event, ClusterEventText.of(event));
  }

  // ---- Suspensions

  /**
   * This node serves nothing any more, or serves again.
   *
   * @param reason why it serves nothing; null if it serves again
   * @param missing the names of the data nodes that it cannot reach
   */
  public void suspended(@Nullable String reason, List<String> missing) {
    if (reason == null) {
      resume();
      return;
    }
    Suspended event = new Suspended(reason, missing);
    synchronized (this) {
      if (retired) {
        return;
      }
      suspension = suspension == null ? begun(event) : suspension.with(event);
    }
    String text = ClusterEventText.of(event);
    LOG.warn(text);
    tell(event, text);
  }

  private Suspension begun(Suspended event) {
    SuspensionFlight flight = SuspensionFlight.begun(node, event.reason(), event.missing().size());
    return new Suspension(event, nanoTime.getAsLong(), flight);
  }

  private void resume() {
    Suspension over;
    synchronized (this) {
      over = retired ? null : suspension;
      suspension = retired ? suspension : null;
    }
    if (over != null) {
      over.flight.ended(true);
      Resumed event = new Resumed(Duration.ofNanos(nanoTime.getAsLong() - over.sinceNanos));
      note(event, ClusterEventText.of(event));
    }
  }

  /** This life of the node is over, and serves nothing until another one follows. */
  public void retire(String reason, List<String> missing) {
    suspended(reason, missing);
    synchronized (this) {
      retired = true;
    }
  }

  /**
   * Goes on after a life of this node that was retired: whoever listens hears first what that one
   * has told, and then that the node serves again, unless this life is suspended, too.
   */
  public void follow(ClusterEvents past) {
    CompletableFuture<@Nullable Void> turn = new CompletableFuture<>();
    var unused =
        CompletableFuture.allOf(told.getAndSet(turn), past.told.get())
            .whenComplete((result, failure) -> turn.complete(null));
    Suspension begun = past.take();
    if (begun == null) {
      return;
    }
    Suspension own;
    synchronized (this) {
      own = suspension;
      suspension = own == null ? begun : begun.with(own.last);
    }
    if (own == null) {
      resume();
    } else {
      tell(own.last, ClusterEventText.of(own.last)); // nobody has listened before
    }
  }

  /** The node is closed: a suspension ends with it. */
  public void close() {
    Suspension over = take();
    if (over != null) {
      over.flight.ended(false);
    }
  }

  private synchronized @Nullable Suspension take() {
    Suspension present = suspension;
    suspension = null;
    return present;
  }

  // ---- Telling

  private void note(ClusterEvent event, String text) {
    LOG.info(text);
    tell(event, text);
  }

  private void tell(ClusterEvent event, String text) {
    ClusterFlight.note(event, text);
    Consumer<? super ClusterEvent> present = listener;
    CompletableFuture<@Nullable Void> turn = new CompletableFuture<>();
    var unused =
        told.getAndSet(turn)
            .whenCompleteAsync(
                (result, failure) -> {
                  try {
                    present.accept(event);
                  } finally {
                    turn.complete(null);
                  }
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
    if (lastHasLeft(before, now)) {
      return events; // no segment begins anew
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
    // Whoever leaves in order has handed over its segments before, unless nobody could take them.
    boolean inOrder = before.replicas(gone.id()) == 0 || lastHasLeft(before, now);
    return inOrder ? Parting.LEFT : Parting.LOST;
  }

  /** Whether the last node with data was closed; one that has crashed would be awaited. */
  private static boolean lastHasLeft(SegmentTable before, SegmentTable now) {
    return !before.dataNodes().isEmpty() && now.dataNodes().isEmpty() && now.absent().isEmpty();
  }

  private static String address(Member member) {
    return member.host() + ":" + member.dataPort();
  }
}
