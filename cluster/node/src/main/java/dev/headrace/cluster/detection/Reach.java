package dev.headrace.cluster.detection;

import dev.headrace.cluster.message.Probe;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The data nodes that this data node hears over the wire. All probe each other periodically, and
 * each reports the nodes that it does not hear; so the receiving end reports a connection that is
 * cut in one direction. The membership protocol cannot notice that, since it asks other nodes
 * whether they reach a suspect. Each connection for messages is probed by itself: one that has
 * become silent, while others of the same node have not, counts like a node that has.
 *
 * <pre>
 * a node       event             guard                       next         effects
 * ---------------------------------------------------------------------------------------------
 * unheard      tick, 250 ms      the table has it            new          probe it
 * new          tick              both own something          in reach     its silence begins anew
 * new          tick              silent for 10 s             out of       report who is, every
 *                                                            reach        250 ms
 * new,         something comes                               same
 *  in reach
 * in reach     tick              silent for 2.5 s, or one    out of       report who is, every
 *                                of its connections for 5 s  reach        250 ms
 *                                longer than others
 * out of reach something comes   none is silent any more     in reach     report once, if it was
 *                                                                         the last
 * any          tick              this node was away          new, or      its silence begins anew
 *                                                            in reach
 * any          table             it is none of its members   unheard
 * a former     question          it was a data node          asked        probe it until it has
 *  member                                                                 asked nothing for 2 s
 * </pre>
 *
 * <p>A former member is asked, too, because one that is out of the table since it did not hear this
 * node has to learn that it does again.
 *
 * <p>Probes and answers wait behind other messages; while a large message makes progress, its
 * sender counts as heard. Thread-safe.
 */
public final class Reach implements TableListener {
  private static final long PROBE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Connections but the first are probed every so many times, in turns. */
  private static final int TURNS = 4;

  /** A node that has been silent for this long is out of reach. */
  private static final long LOST_NANOS = TimeUnit.MILLISECONDS.toNanos(2500);

  /**
   * The same for a node until it and this one have both owned something: no write waits for the two
   * before. A JVM that has just been started, on a machine whose cores are busy, may need seconds
   * for its first connections, and again for the first segment.
   */
  private static final long NEW_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * A connection over which no question has come for this long, while others have brought some, is
   * out of order. Questions on it are few, and may be late.
   */
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A node that has asked nothing for this long has stopped to, over all its connections. */
  private static final long UNASKED_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** How often nodes are reported as out of reach. */
  private static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** A tick that is this late shows that this node itself was paused. */
  private static final long AWAY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The most former members that are remembered, since they may still ask and need an answer. */
  private static final int MAX_FORMER = 64;

  private final NodeId self;
  private final Transport transport;
  private final Consumer<Set<NodeId>> report;
  private final int shares;

  // All guarded by this.
  private final Map<NodeId, Heard> heard = new HashMap<>();
  private final Map<NodeId, Member> former = new LinkedHashMap<>();

  /** When those of them that ask have asked last. */
  private final Map<NodeId, Long> formerAskedNanos = new HashMap<>();

  private @Nullable SegmentTable table;
  private long tickNanos;
  private long probedNanos;
  private long reportedNanos;
  private long number;
  private boolean reported;

  /** When something has come from another node. */
  private static final class Heard {
    private long nanos;
    private boolean needed;
    private long askedNanos;
    private long[] askedByShare = {}; // as many as it has connections to this node

    Heard(long nowNanos) {
      nanos = nowNanos;
    }

    void asked(int share, int shares, long nowNanos) {
      if (askedByShare.length != shares || nowNanos - askedNanos >= UNASKED_NANOS) {
        askedByShare = new long[shares];
        Arrays.fill(askedByShare, nowNanos);
      }
      askedByShare[share] = nowNanos;
      askedNanos = nowNanos;
    }

    void progressed(int share, long nowNanos) {
      nanos = nowNanos;
      if (share < askedByShare.length && nowNanos - askedNanos < UNASKED_NANOS) {
        askedByShare[share] = nowNanos;
        askedNanos = nowNanos; // it would ask, were it not for the large message
      }
    }

    /** Whatever may have been held up counts as if it had come. */
    void everything(long nowNanos) {
      nanos = nowNanos;
      Arrays.fill(askedByShare, nowNanos);
    }

    /** From now on writes may wait for the node and this one. */
    void need(long nowNanos) {
      if (!needed) {
        nanos = nowNanos;
        needed = true;
      }
    }

    boolean isSilent(long nowNanos) {
      boolean silent = nowNanos - nanos >= (needed ? LOST_NANOS : NEW_NANOS);
      for (long share : askedByShare) {
        silent |= askedNanos - share >= SILENT_NANOS;
      }
      return silent;
    }
  }

  /**
   * @param report gets the nodes that are out of reach: repeatedly while there are any, and once
   *     when there are none any more
   * @param shares how many connections for messages this node has to each other one
   */
  public Reach(
      NodeId self, Transport transport, Consumer<Set<NodeId>> report, int shares, long nowNanos) {
    this.self = self;
    this.transport = transport;
    this.report = report;
    this.shares = shares;
    this.tickNanos = nowNanos;
    this.probedNanos = nowNanos;
    this.reportedNanos = nowNanos;
  }

  @Override
  public synchronized void onTable(TableDelta delta, SegmentTable newer) {
    SegmentTable before = table;
    table = newer;
    for (Member member : before == null ? List.<Member>of() : before.members()) {
      if (newer.member(member.id()) == null && member.holdsSegments()) {
        former.put(member.id(), member);
      }
    }
    newer.members().forEach(member -> former.remove(member.id()));
    while (former.size() > MAX_FORMER) {
      former.remove(former.keySet().iterator().next());
    }
    formerAskedNanos.keySet().retainAll(former.keySet());
    heard.keySet().removeIf(id -> newer.member(id) == null);
  }

  /** The addresses of a former member; null if they are not known. */
  public synchronized @Nullable Member former(NodeId id) {
    return former.get(id);
  }

  public void received(NodeId from, Probe probe, long nowNanos) {
    if (!probe.answer()) {
      transport.send(from, new Probe(probe.number(), true, probe.share() % shares, shares));
    }
    synchronized (this) {
      Heard node = heard.get(from);
      if (node != null) {
        node.nanos = nowNanos;
      }
      if (node != null && !probe.answer()) {
        node.asked(probe.share(), probe.shares(), nowNanos);
      }
      if (!probe.answer() && former.containsKey(from)) {
        formerAskedNanos.put(from, nowNanos);
      }
    }
  }

  /**
   * Something large that comes from a node makes progress, and other messages of the same
   * connection wait behind it.
   *
   * @param share which of the node's connections it is
   */
  public synchronized void heard(NodeId from, int share, long nowNanos) {
    Heard node = heard.get(from);
    if (node != null) {
      node.progressed(share, nowNanos);
    }
  }

  /** Time has passed. */
  public void tick(long nowNanos) {
    List<NodeId> probed = new ArrayList<>();
    Set<NodeId> lost = Set.of();
    boolean tells = false;
    synchronized (this) {
      if (nowNanos - tickNanos >= AWAY_NANOS) {
        heard.values().forEach(node -> node.everything(nowNanos));
        stalled(nowNanos - tickNanos);
      }
      tickNanos = nowNanos;
      if (nowNanos - probedNanos >= PROBE_NANOS) {
        probedNanos = nowNanos;
        number++;
        probed.addAll(others());
        probed.forEach(id -> heard.computeIfAbsent(id, absent -> new Heard(nowNanos)));
        probed.addAll(formersThatAsk(nowNanos));
      }
      if (nowNanos - reportedNanos >= REPORT_NANOS) {
        reportedNanos = nowNanos;
        needOwners(nowNanos);
        lost = lost(nowNanos);
        tells = reported || !lost.isEmpty();
        reported = !lost.isEmpty();
      }
    }
    for (int share = 0; share < shares && !probed.isEmpty(); share++) {
      if (share == 0 || (number + share) % TURNS == 0) {
        Probe question = new Probe(number, false, share, shares);
        probed.forEach(id -> transport.send(id, question));
      }
    }
    if (tells) {
      report.accept(lost);
    }
  }

  private void stalled(long nanos) {
    Member own = table == null ? null : table.member(self);
    if (own != null) { // while it starts, nobody expects anything of it
      StallFlight.note(own.name(), nanos);
    }
  }

  private boolean holdsSegments() {
    Member own = table == null ? null : table.member(self);
    return own != null && own.holdsSegments();
  }

  private Set<NodeId> formersThatAsk(long nowNanos) {
    formerAskedNanos.values().removeIf(asked -> nowNanos - asked >= UNASKED_NANOS);
    return holdsSegments() ? formerAskedNanos.keySet() : Set.of();
  }

  private List<NodeId> others() {
    SegmentTable now = table;
    if (now == null || !holdsSegments()) {
      return List.of();
    }
    return now.members().stream()
        .filter(member -> member.holdsSegments() && !member.id().equals(self))
        .map(Member::id)
        .toList();
  }

  /** Notes which nodes own something while this one does. */
  private void needOwners(long nowNanos) {
    SegmentTable now = table;
    if (now == null || now.replicas(self) == 0) {
      return;
    }
    heard.forEach(
        (id, node) -> {
          if (now.replicas(id) > 0) {
            node.need(nowNanos);
          }
        });
  }

  private Set<NodeId> lost(long nowNanos) {
    return heard.entrySet().stream()
        .filter(one -> one.getValue().isSilent(nowNanos))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }
}
