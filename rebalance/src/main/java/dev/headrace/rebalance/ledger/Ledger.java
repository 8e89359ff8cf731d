package dev.headrace.rebalance.ledger;

import dev.headrace.rebalance.ledger.ControlMessage.Hello;
import dev.headrace.rebalance.ledger.ControlMessage.Install;
import dev.headrace.rebalance.ledger.ControlMessage.Leave;
import dev.headrace.rebalance.ledger.ControlMessage.Refuse;
import dev.headrace.rebalance.ledger.ControlMessage.Seal;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One node's part in agreeing on the segment table; see the package for the rules. A pure machine:
 * its driver calls one event at a time, and the ledger answers through its {@link LedgerEffects}.
 */
public final class Ledger {

  private static final MemberView NO_VIEW = new MemberView(0, List.of());

  private final LedgerSettings settings;
  private final Convener deciding;
  private final LedgerEffects effects;
  private final NodeId self;

  /** The latest greeting of each node, of whatever view. */
  private final Map<NodeId, Hello> hellos = new HashMap<>();

  /** The epoch last sent to each node and not yet due again. */
  private final Map<NodeId, Long> sentEpochs = new HashMap<>();

  private final Set<NodeId> refused = new HashSet<>();
  private final Set<NodeId> leaving = new HashSet<>();

  private MemberView view = NO_VIEW;
  private @Nullable SegmentTable table;
  private @Nullable TableHeader heldAtEntry;
  private @Nullable NodeId convener;
  private long sequence;
  private long lastTickNanos = Long.MIN_VALUE;
  private boolean sealWanted;
  private boolean suspended;
  private boolean warned;
  private boolean ended;

  /** A ledger that has no view and no table yet. */
  public Ledger(
      LedgerSettings settings, Placement placement, RandomGenerator random, LedgerEffects effects) {
    this.settings = settings;
    this.effects = effects;
    this.self = settings.self().id();
    this.deciding = new Convener(settings, placement, random);
  }

  /** The membership protocol has a new view, which contains this node. */
  public void viewChanged(MemberView newView) {
    if (ended) {
      return;
    }
    view = newView;
    heldAtEntry = held();
    convener = null;
    warned = false;
    refused.clear();
    sentEpochs.clear();
    hellos.keySet().removeIf(id -> !view.members().contains(id));
    leaving.retainAll(view.members());
    for (NodeId peer : peers()) {
      effects.send(peer, hello(false));
    }
    judgeSplit();
    advance();
  }

  /** A control message has arrived. */
  public void received(NodeId from, ControlMessage message) {
    if (ended) {
      return;
    }
    if (message instanceof Hello hello) {
      greeted(from, hello);
    } else if (message instanceof Install install) {
      take(from, install);
    } else if (message instanceof Refuse refuse && refuse.viewMark() == view.mark()) {
      end(() -> effects.refused(refuse.reason()));
    } else if (message instanceof Seal) {
      sealWanted = true;
      advance();
    } else if (message instanceof Leave && view.members().contains(from)) {
      leaving.add(from);
      advance();
    }
  }

  /** The first write is waiting: the table must be sealed. May be asked any number of times. */
  public void requestSeal() {
    if (ended || sealWanted || (table != null && table.sealed())) {
      return;
    }
    sealWanted = true;
    sendWishes();
    advance();
  }

  /** This node wants to leave in order; {@link LedgerEffects#left} follows. */
  public void requestLeave() {
    if (ended) {
      return;
    }
    leaving.add(self);
    sendWishes();
    advance();
    leaveIfDone();
  }

  /**
   * Somebody else has a newer table than this node: it is asked for. The notice itself is not
   * taken, because only a view's convener puts tables in force.
   */
  public void noticed(long epoch) {
    NodeId from = convener;
    if (!ended && from != null && !from.equals(self) && (table == null || epoch > table.epoch())) {
      effects.send(from, hello(false));
    }
  }

  /**
   * Time has passed: what is unanswered is sent again.
   *
   * @param nowNanos of a monotonic clock
   */
  public void tick(long nowNanos) {
    boolean due =
        lastTickNanos == Long.MIN_VALUE || nowNanos - lastTickNanos >= settings.resendNanos();
    if (ended || !due) {
      return;
    }
    lastTickNanos = nowNanos;
    for (NodeId peer : peers()) {
      if (!hasGreeted(peer)) {
        effects.send(peer, hello(true));
      }
    }
    refused.clear();
    sentEpochs.clear();
    sendWishes();
    advance();
  }

  /** The table in force here, or null before the first. */
  public @Nullable SegmentTable table() {
    return table;
  }

  /** The node that decides in the present view, or null while that is not known. */
  public @Nullable NodeId convener() {
    return convener;
  }

  private void greeted(NodeId from, Hello hello) {
    Hello known = hellos.get(from);
    if (known == null || known.sequence() < hello.sequence()) {
      hellos.put(from, hello);
    }
    if (hello.wantsAnswer()) {
      effects.send(from, hello(false));
    }
    advance();
    leaveIfDone();
  }

  private void take(NodeId from, Install install) {
    if (install.viewMark() != view.mark()) {
      return;
    }
    SegmentTable offered = install.table();
    boolean newer = table == null || offered.epoch() > table.epoch();
    boolean sameData =
        table == null || !table.sealed() || offered.header().seal() == table.header().seal();
    boolean member = offered.member(self) != null;
    if (newer && sameData && !member && leaving.contains(self)) {
      end(effects::left);
      return;
    }
    if (newer && sameData && member) {
      adopt(offered);
    }
    effects.send(from, hello(false));
  }

  private void adopt(SegmentTable next) {
    table = next;
    sealWanted &= !next.sealed();
    effects.install(next);
    judgeSplit();
  }

  /**
   * Does what is due once everybody has greeted: find the convener and, if it is this node, decide.
   */
  private void advance() {
    if (ended || view.members().isEmpty() || !peers().stream().allMatch(this::hasGreeted)) {
      return;
    }
    Assembly assembly = assembly();
    warn(assembly);
    boolean found = convener == null;
    convener = assembly.convener();
    if (convener == null || !convener.equals(self)) {
      if (found) {
        sendWishes();
      }
      return;
    }
    Resolution resolution = deciding.resolve(assembly, table, sealWanted, leaving);
    if (resolution.table() != null) {
      adopt(resolution.table());
    }
    resolution.refusals().forEach(this::refuse);
    resolution.recipients().forEach(this::publish);
    leaveIfDone();
  }

  private void refuse(NodeId node, String reason) {
    if (refused.add(node)) {
      effects.send(node, new Refuse(view.mark(), reason));
    }
  }

  private void publish(NodeId node) {
    SegmentTable present = table;
    Hello hello = hellos.get(node);
    if (present == null || hello == null) {
      return;
    }
    boolean has = epoch(hello.held()) == present.epoch();
    Long sent = sentEpochs.get(node);
    if (!has && (sent == null || sent != present.epoch())) {
      sentEpochs.put(node, present.epoch());
      effects.send(node, new Install(view.mark(), present));
    }
  }

  /** Tells the convener what this node wants of it. */
  private void sendWishes() {
    NodeId to = convener;
    if (to == null || to.equals(self)) {
      return;
    }
    if (sealWanted) {
      effects.send(to, new Seal());
    }
    if (leaving.contains(self)) {
      effects.send(to, new Leave());
    }
  }

  /** A convener leaves when all others have the table without it. */
  private void leaveIfDone() {
    if (ended || !leaving.contains(self)) {
      return;
    }
    SegmentTable present = table;
    boolean alone = peers().isEmpty() || present == null;
    boolean handedOver =
        present != null
            && present.member(self) == null
            && peers().stream()
                .filter(peer -> present.member(peer) != null)
                .allMatch(peer -> hasGreeted(peer) && holds(peer, present.epoch()));
    if (alone || handedOver) {
      end(effects::left);
    }
  }

  private boolean holds(NodeId peer, long epoch) {
    Hello hello = hellos.get(peer);
    return hello != null && epoch(hello.held()) == epoch;
  }

  private void judgeSplit() {
    SegmentTable present = table;
    boolean mayGoOn = present == null || settings.split().permits(present, view.members());
    if (present != null && !mayGoOn && !suspended) {
      suspended = true;
      effects.suspended(
          "This node reaches too few data nodes of the table of epoch %s to go on alone: it has to"
                  .formatted(Epoch.toString(present.epoch()))
              + " reach a majority, or half of them with the oldest, again");
    } else if (mayGoOn && suspended) {
      suspended = false;
      effects.resumed();
    }
  }

  private void warn(Assembly assembly) {
    if (!warned && !assembly.foreign().isEmpty()) {
      warned = true;
      effects.warned(
          "Two clusters that both hold data have met and go on apart; stop one of them, its data"
              + " cannot be merged. This node: "
              + held()
              + "; others: "
              + assembly.foreign());
    }
  }

  private void end(Runnable last) {
    ended = true;
    last.run();
  }

  private Assembly assembly() {
    List<Hello> inOrder = new ArrayList<>();
    for (NodeId id : view.members()) {
      inOrder.add(id.equals(self) ? hello(false) : hellos.get(id));
    }
    return Assembly.of(inOrder, self);
  }

  private Hello hello(boolean wantsAnswer) {
    sequence++;
    return new Hello(
        sequence, view.mark(), settings.self(), settings.terms(), heldAtEntry, held(), wantsAnswer);
  }

  private boolean hasGreeted(NodeId peer) {
    Hello hello = hellos.get(peer);
    return hello != null && hello.viewMark() == view.mark();
  }

  private List<NodeId> peers() {
    return view.members().stream().filter(id -> !id.equals(self)).toList();
  }

  private @Nullable TableHeader held() {
    return table == null ? null : table.header();
  }

  private static long epoch(@Nullable TableHeader header) {
    return header == null ? -1 : header.epoch();
  }
}
