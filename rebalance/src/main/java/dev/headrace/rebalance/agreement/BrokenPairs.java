package dev.headrace.rebalance.agreement;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Pairs of data nodes that do not reach each other although the coordinator hears both. Writes of
 * segments that they share would never end, nor calls from one to the other: so one of the two is
 * set aside, that is taken out of the table until they reach each other again.
 *
 * <p>The coordinator itself stays; else the one that goes has more such pairs, or is the younger.
 * One that alone has a segment stays, too: then nobody may be set aside, and people are told.
 */
final class BrokenPairs {

  private record Report(Set<NodeId> nodes, long atNanos) {}

  private record Pair(Member one, Member other) {
    Set<NodeId> nodes() {
      return Set.of(one.id(), other.id());
    }

    boolean has(Member member) {
      return one.id().equals(member.id()) || other.id().equals(member.id());
    }
  }

  private final AgreementSettings settings;
  private final AgreementEffects effects;
  private final Map<NodeId, Report> reports = new HashMap<>();

  /** Since when each pair is known to be broken of which nobody is set aside. */
  private final Map<Set<NodeId>, Long> sinceNanos = new HashMap<>();

  /** Who is set aside, and why. */
  private final Map<NodeId, String> aside = new LinkedHashMap<>();

  private String told = "";

  BrokenPairs(AgreementSettings settings, AgreementEffects effects) {
    this.settings = settings;
    this.effects = effects;
  }

  /** A data node does not reach some others, or reaches everybody again. */
  void report(NodeId by, Set<NodeId> nodes, long nowNanos) {
    if (nodes.isEmpty()) {
      reports.remove(by);
    } else {
      reports.put(by, new Report(nodes, nowNanos));
    }
  }

  Map<NodeId, String> aside() {
    return aside;
  }

  /**
   * Decides who is set aside.
   *
   * @param present the nodes of the view that are taken, the oldest first
   * @param heard whether the coordinator has heard a node lately
   */
  void decide(SegmentTable table, List<Member> present, Predicate<NodeId> heard, long nowNanos) {
    if (reports.isEmpty() && aside.isEmpty()) {
      return;
    }
    // A report that is not repeated is over; it is repeated much more often than this.
    reports.values().removeIf(report -> nowNanos - report.atNanos >= settings.leaseNanos());
    List<Member> nodes =
        present.stream()
            .filter(member -> member.holdsSegments() && heard.test(member.id()))
            .toList();
    List<Pair> pairs = pairs(nodes);
    aside.keySet().removeIf(id -> pairs.stream().noneMatch(pair -> separates(pair, id)));
    List<Pair> open = new ArrayList<>(pairs.stream().filter(pair -> !isAside(pair)).toList());
    if (!isKnownLongEnough(open, nowNanos)) {
      return;
    }
    while (!open.isEmpty()) {
      Member goes = choose(open, nodes, table);
      if (goes == null) {
        tell(open.get(0));
        return;
      }
      setAside(goes, open);
      open.removeIf(pair -> pair.has(goes));
    }
    told = "";
  }

  /**
   * Whether a pair has been reported for so long that others who are concerned have had the time to
   * say so, too. What was said once and not repeated does not become true by waiting.
   */
  private boolean isKnownLongEnough(List<Pair> open, long nowNanos) {
    sinceNanos.keySet().retainAll(open.stream().map(Pair::nodes).toList());
    boolean known = false;
    for (Pair pair : open) {
      long since = sinceNanos.computeIfAbsent(pair.nodes(), none -> nowNanos);
      known |=
          Stream.of(report(pair.one, pair.other), report(pair.other, pair.one))
              .filter(Objects::nonNull)
              .anyMatch(report -> report.atNanos - since >= settings.leaseNanos() / 4 * 3);
    }
    return known;
  }

  /** Whether a pair keeps a node aside: the other of the two is not. */
  private boolean separates(Pair pair, NodeId id) {
    return (pair.one.id().equals(id) && !aside.containsKey(pair.other.id()))
        || (pair.other.id().equals(id) && !aside.containsKey(pair.one.id()));
  }

  private boolean isAside(Pair pair) {
    return aside.containsKey(pair.one.id()) || aside.containsKey(pair.other.id());
  }

  private List<Pair> pairs(List<Member> nodes) {
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      for (int j = i + 1; j < nodes.size(); j++) {
        Member one = nodes.get(i);
        Member other = nodes.get(j);
        if (report(one, other) != null || report(other, one) != null) {
          pairs.add(new Pair(one, other));
        }
      }
    }
    return pairs;
  }

  private @Nullable Report report(Member by, Member of) {
    Report report = reports.get(by.id());
    return report != null && report.nodes.contains(of.id()) ? report : null;
  }

  private @Nullable Member choose(List<Pair> open, List<Member> nodes, SegmentTable table) {
    return nodes.stream()
        .filter(member -> !member.id().equals(settings.self().id()))
        .filter(member -> open.stream().anyMatch(pair -> pair.has(member)))
        .filter(member -> isDispensable(member.id(), table))
        .max(
            Comparator.comparingLong(
                    (Member member) -> open.stream().filter(pair -> pair.has(member)).count())
                .thenComparing(nodes::indexOf))
        .orElse(null);
  }

  /** Whether others that stay have all that a node has. */
  private boolean isDispensable(NodeId id, SegmentTable table) {
    for (int segment = 0; segment < table.segments(); segment++) {
      List<NodeId> owners = table.owners(segment);
      if (owners.contains(id)
          && owners.stream().allMatch(owner -> owner.equals(id) || aside.containsKey(owner))) {
        return false;
      }
    }
    return true;
  }

  private void setAside(Member goes, List<Pair> open) {
    List<String> others =
        open.stream()
            .filter(pair -> pair.has(goes))
            .map(pair -> pair.one.id().equals(goes.id()) ? pair.other : pair.one)
            .map(Member::toString)
            .toList();
    String reason =
        ("Reads, writes and streams are refused: node %s is set aside because it and %s do not"
             + " reach each other, though both reach %s, which decides; it is taken in again when"
             + " they do (see guide/nodes)")
            .formatted(goes, String.join(", ", others), settings.self());
    aside.put(goes.id(), reason);
    effects.warned(reason);
  }

  private void tell(Pair pair) {
    String text =
        ("%s and %s do not reach each other, and each of them alone has some segments, so that"
                + " neither can be set aside: operations between the two fail until they do")
            .formatted(pair.one, pair.other);
    if (!text.equals(told)) {
      told = text;
      effects.warned(text);
    }
  }
}
