package dev.headrace.rebalance.agreement;

import dev.headrace.rebalance.agreement.ControlMessage.Hello;
import dev.headrace.rebalance.table.ProtocolVersions;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The present view, who of it has greeted this node, and what this node says in its own. */
final class HelloExchange {

  private static final MemberView NO_VIEW = new MemberView(0, List.of());

  private final AgreementSettings settings;
  private final NodeId self;

  /** The latest hello of each node, of whatever view. */
  private final Map<NodeId, Hello> hellos = new HashMap<>();

  /** The latest of the present view: who has gone on to the next one has greeted in this one. */
  private final Map<NodeId, Hello> ofView = new HashMap<>();

  /** Since when each of the view has been in every view of this node. */
  private final Map<NodeId, Long> sinceNanos = new HashMap<>();

  private MemberView view = NO_VIEW;
  private @Nullable Hello entry;

  /** What was said in the present view to single nodes of another cluster, and is said again. */
  private final Map<NodeId, Hello> presented = new HashMap<>();

  private long sequence;

  HelloExchange(AgreementSettings settings) {
    this.settings = settings;
    this.self = settings.self().id();
  }

  /** Enters a view; what the node has at this moment is what it says from now on. */
  void enter(MemberView newView, Acceptor own, long nowNanos) {
    view = newView;
    sinceNanos.keySet().retainAll(view.members());
    view.members().forEach(id -> sinceNanos.putIfAbsent(id, nowNanos));
    hellos.keySet().removeIf(id -> !view.members().contains(id));
    ofView.clear();
    hellos.forEach(this::count);
    say(present(own));
  }

  /**
   * From now on this node, which decides, says what it has now, if that was first written in the
   * present view: who has not greeted yet may have founded a cluster of its own, and must not take
   * this node for one without data. The others go on to say what they had when they entered, so
   * that nobody takes one of them for the coordinator.
   */
  void renew(Acceptor own) {
    SegmentTable installed = own.installed();
    TableHeader said = entry == null ? null : entry.inForce();
    if (installed != null && installed.written() && (said == null || !said.written())) {
      say(present(own));
    }
  }

  private void say(Hello toEverybody) {
    entry = toEverybody;
    presented.clear();
  }

  /** A hello that says what this node has now, to one of another cluster. */
  Hello present(NodeId to, Acceptor own) {
    Hello said = present(own);
    presented.put(to, said);
    return said;
  }

  private Hello present(Acceptor own) {
    sequence++;
    return new Hello(
        sequence,
        view.mark(),
        settings.self(),
        settings.terms(),
        header(own.log().newest()),
        header(own.installed()),
        own.promisedBallot(),
        leavesBehind(own.installed()),
        false);
  }

  private boolean leavesBehind(@Nullable SegmentTable present) {
    return present != null
        && !present.written()
        && (present.excludedAt() != SegmentTable.NEVER
            || present.members().stream().anyMatch(one -> !view.members().contains(one.id())));
  }

  MemberView view() {
    return view;
  }

  boolean isOf(long viewMark) {
    return view.mark() == viewMark;
  }

  /**
   * A node has greeted.
   *
   * @return whether it has said otherwise before, in the present view, of whose data it has
   */
  boolean greeted(NodeId from, Hello hello) {
    Hello known = hellos.get(from);
    if (known != null && known.sequence() >= hello.sequence()) {
      return false;
    }
    long before = firstWriteOf(from);
    boolean again = hasGreeted(from);
    hellos.put(from, hello);
    count(from, hello);
    return again && firstWriteOf(from) != before;
  }

  private void count(NodeId from, Hello hello) {
    if (hello.viewMark() == view.mark()) {
      ofView.put(from, hello);
    }
  }

  /**
   * The version of the protocol in which to speak to a node: the newest that both know, or that of
   * the cluster if it has not greeted in this view. A greeting is the same in all versions.
   */
  int protocolWith(NodeId peer, @Nullable SegmentTable present) {
    ProtocolVersions own = settings.self().versions();
    Hello hello = hellos.get(peer);
    if (hello != null) {
      return own.spokenWith(hello.member().versions());
    }
    return present == null ? own.oldest() : present.header().protocol();
  }

  boolean hasGreeted(NodeId peer) {
    return ofView.containsKey(peer);
  }

  /** Whether there is a view, in which this node may greet. */
  boolean haveView() {
    return entry != null;
  }

  /** How many of the others have greeted in the present view. */
  long greeted() {
    return peers().stream().filter(this::hasGreeted).count();
  }

  /**
   * The first write of what a node acted upon when it entered the present view, 0 if that had none.
   */
  long firstWriteOf(NodeId peer) {
    Hello hello = ofView.get(peer);
    TableHeader inForce = hello == null ? null : hello.inForce();
    return inForce == null ? 0 : inForce.firstWrite();
  }

  /** Those that have greeted in the present view, this node included. */
  List<NodeId> heard() {
    return view.members().stream().filter(id -> id.equals(self) || hasGreeted(id)).toList();
  }

  /** The others that have said nothing in the present view. */
  Set<NodeId> silent() {
    return peers().stream().filter(peer -> !hasGreeted(peer)).collect(Collectors.toSet());
  }

  /**
   * The others that have said nothing in the present view, without those that have never said
   * anything and were waited for once, over any views, as long as founders wait: they are no nodes
   * of this cluster, and no newcomer has to wait for them again.
   */
  Set<NodeId> awaited(long nowNanos) {
    Set<NodeId> awaited = new HashSet<>(silent());
    awaited.removeIf(
        id ->
            hellos.get(id) == null
                && nowNanos - sinceNanos.getOrDefault(id, nowNanos) >= settings.foundingNanos());
    return awaited;
  }

  boolean areComplete() {
    return entry != null && peers().stream().allMatch(this::hasGreeted);
  }

  List<NodeId> peers() {
    return view.members().stream().filter(id -> !id.equals(self)).toList();
  }

  /**
   * What the hellos amount to that have come.
   *
   * @param taken as in {@link ViewSummary#of}
   */
  ViewSummary summary(Set<NodeId> taken) {
    List<Hello> inOrder = new ArrayList<>();
    for (NodeId id : view.members()) {
      Hello hello = id.equals(self) ? hello(self, false) : ofView.get(id);
      if (hello != null) {
        inOrder.add(hello);
      }
    }
    return ViewSummary.of(inOrder, self, taken);
  }

  /** A hello to a node of the view, or this one's own. */
  Hello hello(NodeId to, boolean wantsAnswer) {
    Hello first = presented.getOrDefault(to, entry);
    if (first == null) {
      throw new IllegalStateException("There is no view to greet in");
    }
    sequence++;
    return new Hello(
        sequence,
        first.viewMark(),
        first.member(),
        first.terms(),
        first.stored(),
        first.inForce(),
        first.promisedBallot(),
        first.leavesBehind(),
        wantsAnswer);
  }

  private static @Nullable TableHeader header(@Nullable SegmentTable table) {
    return table == null ? null : table.header();
  }
}
