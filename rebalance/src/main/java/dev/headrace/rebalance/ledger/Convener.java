package dev.headrace.rebalance.ledger;

import dev.headrace.rebalance.ledger.ControlMessage.Hello;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Decides on the next table of a view. It has no state but its source of random numbers. */
final class Convener {

  private static final String HOLDS_DATA =
      "The cluster \"%s\" holds data, and joining it with a capacity needs rebalancing, which this"
          + " version does not have: start all data nodes before the first write, or join with"
          + " capacity 0";
  private static final String EXCLUDED =
      "The cluster \"%s\" gave this node up while it could not be reached; the others went on"
          + " without it at epoch %s: what it holds is out of date, start it anew";

  private static final String OTHER_DATA =
      "The cluster that this node belonged to has no data node left in reach, and the cluster"
          + " \"%s\" that it found now is another one: start the node anew";

  private final LedgerSettings settings;
  private final Placement placement;
  private final RandomGenerator random;

  Convener(LedgerSettings settings, Placement placement, RandomGenerator random) {
    this.settings = settings;
    this.placement = placement;
    this.random = random;
  }

  /**
   * Decides, from everybody's greeting.
   *
   * @param present the newest table, which the convener has; null if nobody has any
   * @param sealWanted whether somebody wants to write
   * @param leaving who wants to leave in order
   */
  Resolution resolve(
      Assembly assembly, @Nullable SegmentTable present, boolean sealWanted, Set<NodeId> leaving) {
    TableHeader header = present == null ? founding(assembly) : present.header();
    List<Member> accepted = new ArrayList<>();
    List<NodeId> recipients = new ArrayList<>();
    Map<NodeId, String> refusals = new LinkedHashMap<>();
    for (Hello hello : assembly.hellos()) {
      Member member = hello.member();
      boolean leaves = leaving.contains(member.id());
      String refusal = leaves ? null : refusal(hello, header, present);
      if (refusal != null) {
        refusals.put(member.id(), refusal);
        continue;
      }
      recipients.add(member.id());
      if (!leaves) {
        accepted.add(member);
      }
    }
    boolean sealing = sealWanted && !header.sealed();
    SegmentTable next = next(assembly, present, header, accepted, sealing);
    return new Resolution(next, recipients, refusals);
  }

  private @Nullable SegmentTable next(
      Assembly assembly,
      @Nullable SegmentTable present,
      TableHeader header,
      List<Member> accepted,
      boolean sealing) {
    Set<NodeId> ids = accepted.stream().map(Member::id).collect(Collectors.toSet());
    long newest = Math.max(header.epoch(), assembly.newestEpoch());
    long epoch = present == null && newest <= 0 ? foundingEpoch() : nextEpoch(newest);
    if (present == null) {
      return place(header.at(epoch), accepted, sealing);
    }
    Set<NodeId> lost =
        present.members().stream()
            .map(Member::id)
            .filter(id -> !ids.contains(id))
            .collect(Collectors.toSet());
    List<Member> joined =
        accepted.stream().filter(member -> present.member(member.id()) == null).toList();
    boolean same = lost.isEmpty() && joined.isEmpty() && newest == present.epoch();
    if (same && !sealing) {
      return null;
    }
    if (present.sealed()) {
      Set<NodeId> reachable =
          assembly.hellos().stream().map(hello -> hello.member().id()).collect(Collectors.toSet());
      return settings.split().permits(present, reachable)
          ? present.withoutMembers(epoch, lost).withMembers(epoch, joined)
          : null;
    }
    if (same) {
      return present.sealed(epoch, drawn());
    }
    List<Member> members = new ArrayList<>(present.members());
    members.removeIf(member -> lost.contains(member.id()));
    members.addAll(joined);
    return place(header.at(epoch), members, sealing);
  }

  private SegmentTable place(TableHeader header, List<Member> members, boolean sealing) {
    TableHeader placed = sealing ? header.sealed(header.epoch(), drawn()) : header;
    int[][] rows = placement.place(placed.segments(), placed.configuredOwners(), members);
    return SegmentTable.of(placed, members, rows);
  }

  private TableHeader founding(Assembly assembly) {
    Terms terms = settings.terms();
    OptionalLong given =
        terms.hashSeed().isPresent()
            ? terms.hashSeed()
            : assembly.hellos().stream()
                .filter(hello -> hello.member().holdsSegments())
                .map(hello -> hello.terms().hashSeed())
                .filter(OptionalLong::isPresent)
                .findFirst()
                .orElse(OptionalLong.empty());
    long seed = given.orElseGet(random::nextLong);
    return new TableHeader(0, drawn(), 0, seed, terms.segments(), terms.owners());
  }

  private @Nullable String refusal(
      Hello hello, TableHeader header, @Nullable SegmentTable present) {
    String cluster = settings.terms().clusterName();
    Member member = hello.member();
    String differs = hello.terms().refusalBy(cluster, header, member.holdsSegments());
    TableHeader entry = hello.heldAtEntry();
    if (entry != null && entry.sealed() && entry.seal() != header.seal()) {
      return OTHER_DATA.formatted(cluster);
    }
    if (differs != null || present == null || !header.sealed() || !member.holdsSegments()) {
      return differs;
    }
    boolean known = present.member(member.id()) != null;
    if (entry != null && entry.sealed() && !(known && leadsTo(present, entry.epoch()))) {
      return EXCLUDED.formatted(cluster, Epoch.toString(header.epoch()));
    }
    return known ? null : HOLDS_DATA.formatted(cluster);
  }

  /** Whether what a node holds by a table's epoch is what it should hold by the present one. */
  private static boolean leadsTo(SegmentTable present, long epoch) {
    return epoch == present.epoch() || present.descendsFrom(epoch);
  }

  private long foundingEpoch() {
    return Epoch.first(0, settings.self().id());
  }

  private long nextEpoch(long newest) {
    return Epoch.next(newest, settings.self().id());
  }

  /** A random number that is not 0. */
  private long drawn() {
    long drawn = random.nextLong();
    while (drawn == 0) {
      drawn = random.nextLong();
    }
    return drawn;
  }
}
