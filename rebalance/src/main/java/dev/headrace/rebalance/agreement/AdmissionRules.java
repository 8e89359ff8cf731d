package dev.headrace.rebalance.agreement;

import dev.headrace.api.SplitPolicy;
import dev.headrace.api.error.LocatorException;
import dev.headrace.api.error.PlacementException;
import dev.headrace.rebalance.agreement.ControlMessage.Hello;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.publish.DeltaLog;
import dev.headrace.rebalance.publish.DeltaLog.Step;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.ProtocolVersions;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableEdit;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides who is let in, and makes the tables that follow from who is there. It has no state but
 * its source of random numbers. What becomes of a node, the first line that fits:
 *
 * <pre>
 * node                                      cluster                what becomes of it
 * ----------------------------------------- ---------------------- -----------------------------
 * acts on data of another first write       any                    refused: another cluster
 * other terms than the cluster's            any                    refused: says which
 * its epochs would be another's             any                    refused: draws another identity
 * does not know the version of the protocol any                    refused: says which
 * of capacity 0, or new                     any                    joins, owns nothing if there
 *                                                                  is data
 * data node that holds data                 DENY                   joins
 * data node whose table is not of the line  ALLOW                  refused: it was given up
 * absent: segments wait for it              DENY                   readmitted, owns them again
 * member, in the view, has not greeted      any                    stays
 * member, not in the view, not leaving      segments wait          removed; absent if it alone
 *                                                                  has a segment
 * member, not in the view                   else                   removed; what it alone had
 *                                                                  begins anew
 * member, leaves, owns and owes nothing     any                    removed
 * last data nodes, all leave                nobody else may come   removed; the cluster has ended
 * data node, new                            has ended              not taken: founds another
 * data node that holds data, no member      has ended              refused: start it anew
 * </pre>
 *
 * <p>While there is no data, owners are placed anew for whoever is there, and a table remembers
 * only when somebody was left out last.
 */
final class AdmissionRules {

  private static final String EXCLUDED =
      "The cluster \"%s\" gave this node up while it could not be reached; the others went on"
          + " without it at epoch %s: what it holds is out of date, start it anew";

  private static final String OTHER_DATA =
      "The cluster that this node belonged to has no data node left in reach, and the cluster"
          + " \"%s\" that it found now is another one: start the node anew";

  private static final String ENDED =
      "The last data nodes of the cluster \"%s\" are leaving, and what it held goes with them:"
          + " start the node anew";

  private static final String MISTAKABLE =
      "The identity that this node has drawn can be mistaken for that of another node of the"
          + " cluster \"%s\": start it anew, it will draw another one";

  private static final String PROTOCOL =
      "The cluster \"%s\" speaks %s of the protocol between nodes, and this node knows %s: start it"
          + " with a release that knows what the cluster speaks, and skip no release in an upgrade";

  private final AgreementSettings settings;
  private final Placement placement;
  private final RandomGenerator random;

  AdmissionRules(AgreementSettings settings, Placement placement, RandomGenerator random) {
    this.settings = settings;
    this.placement = placement;
    this.random = random;
  }

  AgreementSettings settings() {
    return settings;
  }

  NodeId self() {
    return settings.self().id();
  }

  /**
   * Who of a view belongs to its tables.
   *
   * @param summary the view's hellos
   * @param origin the newest table's header, or that of the table to found
   * @param members the nodes that are taken, in the view's order, those that are silent last
   * @param refusals who is not taken, and why
   * @param isComplete whether nobody in the view may be waiting to be taken
   */
  record Admission(
      ViewSummary summary,
      TableHeader origin,
      List<Member> members,
      Map<NodeId, String> refusals,
      boolean isComplete) {

    Set<NodeId> nodes() {
      return members.stream().map(Member::id).collect(Collectors.toSet());
    }

    /** As long as it is not known to whom the others belong, they are neither taken nor refused. */
    Admission only(Set<NodeId> known) {
      return new Admission(
          summary,
          origin,
          members.stream().filter(member -> known.contains(member.id())).toList(),
          Map.of(),
          false);
    }
  }

  /**
   * Decides who is taken. Members of the newest table that are in the view and have not greeted
   * stay what they are: whether somebody has gone is for the membership protocol to say.
   *
   * @param silent those in the view that have not greeted
   * @param log ends with the newest table, which the coordinator has, if anybody has one
   * @param inForceEpoch who was taken out by a later table than this still has a say in it
   */
  Admission admit(ViewSummary summary, Set<NodeId> silent, DeltaLog log, long inForceEpoch) {
    SegmentTable newest = log.newest();
    TableHeader origin = newest == null ? founding(summary) : newest.header();
    ProtocolVersions spoken = spoken(newest, silent);
    List<Member> members = new ArrayList<>();
    Map<NodeId, String> refusals = new LinkedHashMap<>();
    for (Hello hello : summary.hellos()) {
      String refusal = refusal(hello, origin, log, inForceEpoch);
      if (refusal == null && isMistakable(hello.member().id(), newest, members)) {
        refusal = MISTAKABLE.formatted(settings.terms().clusterName());
      }
      ProtocolVersions common = spoken.common(hello.member().versions());
      if (refusal == null && common == null) {
        refusal =
            PROTOCOL.formatted(settings.terms().clusterName(), spoken, hello.member().versions());
      }
      if (refusal != null) {
        refusals.put(hello.member().id(), refusal);
      } else if (!comesTooLate(hello, newest)) {
        members.add(hello.member());
        spoken = common == null ? spoken : common;
      }
    }
    if (newest != null) {
      newest.members().stream()
          .filter(member -> silent.contains(member.id()))
          .forEach(members::add);
    }
    return new Admission(summary, origin, members, refusals, true);
  }

  /**
   * The versions of the protocol of which a newcomer has to know one. Once there is data it is the
   * table's; before that, what all others know, as far as they must be members.
   */
  private ProtocolVersions spoken(@Nullable SegmentTable newest, Set<NodeId> silent) {
    if (newest != null && newest.written()) {
      int protocol = newest.header().protocol();
      return new ProtocolVersions(protocol, protocol);
    }
    ProtocolVersions spoken = settings.self().versions();
    for (Member member : newest == null ? List.<Member>of() : newest.members()) {
      ProtocolVersions common = spoken.common(member.versions());
      spoken = common != null && silent.contains(member.id()) ? common : spoken;
    }
    return spoken;
  }

  /** The newest version of the protocol that all of some nodes know. */
  static int protocol(Stream<Member> members) {
    return members
        .mapToInt(member -> member.versions().newest())
        .min()
        .orElse(ProtocolVersions.OWN.newest());
  }

  /** Whether a data node comes to a cluster that has ended: it founds another when that is gone. */
  private static boolean comesTooLate(Hello hello, @Nullable SegmentTable newest) {
    TableHeader held = hello.inForce();
    boolean isNew = held == null || !held.written();
    return newest != null && newest.hasEnded() && hello.member().holdsSegments() && isNew;
  }

  /** Whether a node that comes would make tables of the same epochs as another one. */
  private boolean isMistakable(NodeId node, @Nullable SegmentTable newest, List<Member> taken) {
    if (node.equals(self()) || (newest != null && newest.member(node) != null)) {
      return false;
    }
    Stream<Member> known = newest == null ? Stream.of() : newest.members().stream();
    return Stream.concat(Stream.of(self()), Stream.concat(known, taken.stream()).map(Member::id))
        .anyMatch(other -> Epoch.haveSameMark(node, other));
  }

  /** What a cluster that these nodes found has in common, before its first epoch. */
  private TableHeader founding(ViewSummary summary) {
    ClusterTerms terms = settings.terms();
    OptionalLong given =
        terms.hashSeed().isPresent()
            ? terms.hashSeed()
            : summary.hellos().stream()
                .filter(hello -> hello.member().holdsSegments())
                .map(hello -> hello.terms().hashSeed())
                .filter(OptionalLong::isPresent)
                .findFirst()
                .orElse(OptionalLong.empty());
    long seed = given.orElseGet(random::nextLong);
    return new TableHeader(
        0,
        drawn(),
        0,
        seed,
        terms.segments(),
        terms.owners(),
        terms.maxEntryBytes(),
        terms.placement());
  }

  /**
   * An unwritten table in which every segment is placed anew.
   *
   * @param excludedAt when a member was left out last, {@link SegmentTable#NEVER} if none was
   * @throws PlacementException if the placement cannot place them
   * @throws LocatorException if the locator that places them cannot work with the nodes
   */
  SegmentTable placed(TableHeader header, List<Member> members, long excludedAt) {
    int[][] rows = placement.place(header.segments(), header.configuredOwners(), members);
    return SegmentTable.of(header, members, rows, excludedAt);
  }

  /** An unwritten table that gives who stays what it has, and who is new nothing. */
  static SegmentTable kept(
      SegmentTable before, TableHeader header, List<Member> members, long excludedAt) {
    List<NodeId> ids = members.stream().map(Member::id).toList();
    int[][] rows = new int[before.segments()][];
    for (int segment = 0; segment < rows.length; segment++) {
      rows[segment] =
          before.owners(segment).stream().filter(ids::contains).mapToInt(ids::indexOf).toArray();
    }
    return SegmentTable.of(header, members, rows, excludedAt);
  }

  /**
   * When somebody was left out last who may act on an unwritten table and have a lease, as of the
   * table of these members that follows another. Nothing is lost with it; but it may say for a
   * while that there is nothing, and a node that sees only later tables must know.
   */
  static long excludedAt(SegmentTable before, ViewSummary summary, Set<NodeId> ids, long epoch) {
    boolean excludes = before.members().stream().anyMatch(member -> !ids.contains(member.id()));
    return excludes || summary.leavesBehind(before.clusterId()) ? epoch : before.excludedAt();
  }

  TableDelta firstWrite(SegmentTable table, long epoch) {
    return table.edit(epoch).written(drawn()).delta();
  }

  /**
   * The step to a table of these members: who is gone is taken out, who is new owns nothing. A
   * segment of which all owners are gone waits for them, unless the settings say otherwise, and is
   * given to those of them that come back.
   *
   * <p>A segment whose owners are all gone is given to those members that owned it before, by the
   * tables of the line that are not known to be in force: its last owners cannot have acknowledged
   * anything without them. A primary does that only when those that the table has taken out have
   * said that they know it, or can have no lease any more; and there are leases only while a quorum
   * has stored the table and is told that it is in force, so that somebody here would know. It does
   * not matter whether the table had taken them out of the members, too: they have not seen it.
   * From then on no table that has taken them out comes into force without this step: see {@link
   * #isPassedOver}. For the same reason a segment whose last owners leave waits for those whom such
   * tables have taken out and who cannot be reached now.
   *
   * @param line the tables from the one in force to the newest
   * @param leaving who goes because it wants to, and takes what it owns with it
   * @param passedEpoch every member knows a table of this epoch or a later one
   * @param summary what the members have said
   */
  TableDelta membership(
      List<Step> line,
      long epoch,
      List<Member> members,
      Predicate<NodeId> leaving,
      long passedEpoch,
      ViewSummary summary) {
    SegmentTable table = line.get(line.size() - 1).table();
    Set<NodeId> ids = members.stream().map(Member::id).collect(Collectors.toSet());
    List<NodeId> gone =
        table.members().stream().map(Member::id).filter(id -> !ids.contains(id)).toList();
    TableEdit edit = table.edit(epoch).reusableThrough(passedEpoch);
    Predicate<NodeId> lost = settings.waits() ? leaving : id -> true;
    edit.removeMembers(gone.stream().filter(lost).toList());
    edit.withdrawMembers(gone.stream().filter(lost.negate()).toList());
    if (settings.waits() && line.size() > 1) {
      leftToOthers(line, ids, leaving).forEach(edit::await);
    }
    edit.readmit(members.stream().filter(member -> table.isAbsent(member.id())).toList());
    for (Member member : members) {
      if (table.member(member.id()) == null && !table.isAbsent(member.id())) {
        edit.addMember(member);
      }
    }
    if (line.size() > 1) {
      Set<NodeId> acting = new HashSet<>(summary.actingOn(line.get(0).table().header()));
      table.members().forEach(member -> acting.add(member.id()));
      acting.retainAll(ids);
      for (int segment = 0; segment < table.segments(); segment++) {
        if (holders(table, segment).noneMatch(ids::contains)) {
          edit.kept(segment, formerOwners(segment, line, acting));
        }
      }
    }
    return edit.delta();
  }

  /**
   * The segments whose owners all leave, and those of their former owners who are absent or become
   * it, by the tables of the line that are not known to be in force.
   *
   * @param ids who is a member of the next table
   */
  private static Map<Integer, List<NodeId>> leftToOthers(
      List<Step> line, Set<NodeId> ids, Predicate<NodeId> leaving) {
    SegmentTable table = line.get(line.size() - 1).table();
    Predicate<NodeId> gone = id -> !ids.contains(id);
    Set<NodeId> away =
        Stream.concat(table.members().stream(), table.absent().stream())
            .map(Member::id)
            .filter(gone.and(leaving.negate()))
            .collect(Collectors.toSet());
    Map<Integer, List<NodeId>> left = new LinkedHashMap<>();
    for (int segment = 0; segment < table.segments(); segment++) {
      List<NodeId> owners = table.owners(segment);
      if (!owners.isEmpty() && owners.stream().allMatch(gone.and(leaving))) {
        List<NodeId> former = formerOwners(segment, line, away);
        if (!former.isEmpty()) {
          left.put(segment, former);
        }
      }
    }
    return left;
  }

  /**
   * Whether a later table of the line has given a segment back that a table had taken from its
   * owners, because that one was not known to be in force. It must not come into force before the
   * later one does: whom it has left could serve alone, and the others would lack what it did.
   *
   * @param later the steps after that table
   */
  static boolean isPassedOver(Step step, List<Step> later) {
    Step before = step;
    for (Step next : later) {
      TableDelta delta = next.delta();
      // Something is given back only where members go; steps of one membership share the list.
      if (delta != null && next.voters() != before.voters()) {
        for (int segment : delta.changedSegments()) {
          if (isGivenBack(segment, before.table(), next.table())
              && !holders(step.table(), segment)
                  .toList()
                  .containsAll(holders(next.table(), segment).toList())) {
            return true;
          }
        }
      }
      before = next;
    }
    return false;
  }

  /** Whether a segment has owners or waits for some, although all who held it before are gone. */
  private static boolean isGivenBack(int segment, SegmentTable before, SegmentTable next) {
    List<NodeId> held = holders(before, segment).toList();
    List<NodeId> holds = holders(next, segment).toList();
    return !held.isEmpty()
        && !holds.isEmpty()
        && held.stream().allMatch(id -> next.member(id) == null && !holds.contains(id));
  }

  /** The owners of a segment or, if it waits, those for whom it does. */
  private static Stream<NodeId> holders(SegmentTable table, int segment) {
    return table.ownerCount(segment) > 0
        ? table.owners(segment).stream()
        : table.awaited(segment).stream().map(Member::id);
  }

  /**
   * Those of some nodes that owned a segment last, or for which it waited, by the tables before the
   * newest of a line.
   */
  private static List<NodeId> formerOwners(int segment, List<Step> line, Set<NodeId> nodes) {
    for (int i = line.size() - 2; i >= 0; i--) {
      SegmentTable before = line.get(i).table();
      if (before.written()) {
        List<NodeId> held = holders(before, segment).filter(nodes::contains).toList();
        if (!held.isEmpty()) {
          return held;
        }
      }
    }
    return List.of();
  }

  /** The members of a table that stay, in their order, and then those that are new. */
  static List<Member> inOrder(@Nullable SegmentTable table, List<Member> members) {
    List<Member> ordered = new ArrayList<>();
    if (table != null) {
      table.members().stream().filter(members::contains).forEach(ordered::add);
    }
    members.stream().filter(member -> !ordered.contains(member)).forEach(ordered::add);
    return ordered;
  }

  private @Nullable String refusal(
      Hello hello, TableHeader header, DeltaLog log, long inForceEpoch) {
    SegmentTable newest = log.newest();
    String cluster = settings.terms().clusterName();
    Member member = hello.member();
    String differs = hello.terms().refusalBy(settings.terms(), header, member.holdsSegments());
    TableHeader held = hello.inForce();
    if (held != null && held.written() && held.firstWrite() != header.firstWrite()) {
      return OTHER_DATA.formatted(cluster);
    }
    if (differs != null || newest == null || !header.written() || !member.holdsSegments()) {
      return differs;
    }
    boolean known = isInLine(member.id(), log, inForceEpoch);
    if (held != null && newest.hasEnded() && !known && !member.id().equals(self())) {
      return ENDED.formatted(cluster);
    }
    if (settings.split() == SplitPolicy.DENY) {
      // All tables in force are of one line: what it holds by one of them is what the others know.
      return null;
    }
    boolean goesOn = held == null || !held.written() || (known && isOnLine(held.epoch(), log));
    return goesOn ? null : EXCLUDED.formatted(cluster, Epoch.toString(header.epoch()));
  }

  /** Whether a node is a member of the table in force or of one after it. */
  private static boolean isInLine(NodeId node, DeltaLog log, long inForceEpoch) {
    return log.steps(inForceEpoch, log.newestEpoch()).stream()
        .anyMatch(step -> step.table().member(node) != null);
  }

  /**
   * Whether what a node holds by a table's epoch is what it should hold by the newest one, where
   * every part puts tables in force: the log and the newest table tell which tables it came from.
   */
  private boolean isOnLine(long epoch, DeltaLog log) {
    SegmentTable newest = log.newest();
    return log.has(epoch) || (newest != null && newest.descendsFrom(epoch));
  }

  private long drawn() {
    long drawn = random.nextLong();
    while (drawn == 0) {
      drawn = random.nextLong();
    }
    return drawn;
  }
}
