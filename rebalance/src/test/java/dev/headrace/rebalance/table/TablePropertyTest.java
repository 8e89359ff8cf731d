package dev.headrace.rebalance.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

/** Compares tables that deltas made with a model that knows nothing but lists. */
final class TablePropertyTest {

  private static final int SEGMENTS = 150;
  private static final int OWNERS = 3;
  private static final TableHeader UNWRITTEN =
      new TableHeader(1L << 41, 5, 0, 6, SEGMENTS, OWNERS, 100);

  @Property(tries = 200)
  void everyWayLeadsToTheTableThatIsBuiltAtOnce(
      @ForAll @Size(max = 30) List<@Size(max = 6) List<Integer>> edits) {
    Model model = new Model();
    SegmentTable table = model.builtAtOnce();
    for (List<Integer> steps : edits) {
      TableDelta delta = model.edited(table, steps);
      TableDelta received = TableDelta.decode(Sample.encoded(delta));
      assertThat(received).isEqualTo(delta);
      SegmentTable after = table.apply(received);
      model.assertSame(after, table, delta);
      table = after;
    }
    assertThat(SegmentTable.decode(Sample.encoded(table))).isEqualTo(table);
    SegmentTable copy = SegmentTable.decode(Sample.encoded(table));
    TableDelta last = model.edited(table, List.of(4, 8, 15, 16, 23, 42));
    assertThat(copy.apply(last)).as("an image takes the same deltas").isEqualTo(table.apply(last));
  }

  /** What a table says, kept in the plainest way. */
  private static final class Model {

    private final List<Member> members = new ArrayList<>();
    private final List<List<NodeId>> rows = new ArrayList<>();
    private final int[] incarnations = new int[SEGMENTS];
    private final long[] epochs = new long[SEGMENTS];

    /** By ordinal, when it was vacated last. */
    private final Map<Integer, Long> vacatedAt = new HashMap<>();

    /** The rows before the present edit, and which of them were lost in it. */
    private List<List<NodeId>> before = List.of();

    private final Set<Integer> lost = new HashSet<>();
    private TableHeader header = UNWRITTEN;
    private int nextMember = 1;
    private long reusableThrough;

    Model() {
      for (int i = 0; i < 4; i++) {
        members.add(Sample.member(nextMember++, 1));
      }
      for (int segment = 0; segment < SEGMENTS; segment++) {
        rows.add(List.of(members.get(segment % 4).id(), members.get((segment + 1) % 4).id()));
        epochs[segment] = header.epoch();
      }
    }

    /** Makes the same steps here and in an edit. */
    TableDelta edited(SegmentTable table, List<Integer> steps) {
      long epoch = header.epoch() + 1 + steps.size() % 3;
      TableEdit edit = table.edit(epoch);
      before = List.copyOf(rows);
      lost.clear();
      Set<NodeId> fresh = new HashSet<>();
      header = header.at(epoch);
      reusableThrough = -1;
      for (int step : steps) {
        step(table, edit, new Random(step), fresh);
      }
      for (int segment = 0; segment < SEGMENTS; segment++) {
        boolean raised = lost.contains(segment);
        incarnations[segment] += raised ? 1 : 0;
        boolean writtenNow = header.written() && !table.written();
        if (raised || writtenNow || !rows.get(segment).equals(before.get(segment))) {
          epochs[segment] = epoch;
        }
      }
      return edit.delta();
    }

    private void step(SegmentTable table, TableEdit edit, Random random, Set<NodeId> fresh) {
      switch (random.nextInt(6)) {
        case 0 -> {
          Member member = Sample.member(nextMember++, random.nextInt(4));
          edit.addMember(member);
          members.add(member);
          fresh.add(member.id());
        }
        case 1 -> {
          List<Member> old = members.stream().filter(m -> !fresh.contains(m.id())).toList();
          if (!old.isEmpty()) {
            remove(table, edit, old.get(random.nextInt(old.size())));
          }
        }
        case 2 -> {
          long passed = table.epoch() - random.nextInt(3);
          reusableThrough = Math.max(reusableThrough, passed);
          edit.reusableThrough(passed);
        }
        case 3 -> {
          if (!header.written()) {
            edit.written(99);
            header = header.written(header.epoch(), 99);
          }
        }
        default -> {
          for (int i = 0; i < 10; i++) {
            setOwners(edit, random.nextInt(SEGMENTS), random);
          }
        }
      }
    }

    private void remove(SegmentTable table, TableEdit edit, Member gone) {
      edit.removeMembers(List.of(gone.id()));
      vacatedAt.put(table.roster.ordinal(gone.id()), header.epoch());
      members.remove(gone);
      for (int segment = 0; segment < SEGMENTS; segment++) {
        set(segment, rows.get(segment).stream().filter(id -> !id.equals(gone.id())).toList());
      }
    }

    private void setOwners(TableEdit edit, int segment, Random random) {
      List<NodeId> holders = new ArrayList<>();
      members.stream().filter(Member::holdsSegments).forEach(member -> holders.add(member.id()));
      Collections.shuffle(holders, random);
      int count = Math.min(holders.size(), random.nextInt(OWNERS + 2));
      List<NodeId> owners = List.copyOf(holders.subList(0, count));
      edit.owners(segment, owners);
      set(segment, owners);
    }

    private void set(int segment, List<NodeId> owners) {
      rows.set(segment, owners);
      if (owners.isEmpty() && !before.get(segment).isEmpty()) {
        lost.add(segment);
      }
    }

    /** The table of this content, without any history. */
    SegmentTable builtAtOnce() {
      Roster roster = Roster.of(members, SegmentTable.NEVER);
      RowEditor editor = RowEditor.blank(header, roster);
      for (int segment = 0; segment < SEGMENTS; segment++) {
        List<NodeId> owners = rows.get(segment);
        short[] row = new short[owners.size()];
        for (int index = 0; index < row.length; index++) {
          row[index] = (short) roster.ordinal(owners.get(index));
        }
        editor.put(segment, row, epochs[segment], incarnations[segment]);
      }
      return editor.table(header, new long[0]);
    }

    void assertSame(SegmentTable table, SegmentTable before, TableDelta delta) {
      SegmentTable plain = builtAtOnce();
      assertThat(table.header()).isEqualTo(header);
      assertThat(table.members()).isEqualTo(members);
      assertThat(table.stamp()).isEqualTo(plain.stamp());
      Set<Integer> changed = new HashSet<>();
      for (int segment : delta.changedSegments()) {
        changed.add(segment);
      }
      for (int segment = 0; segment < SEGMENTS; segment++) {
        assertThat(table.owners(segment)).isEqualTo(rows.get(segment));
        assertThat(table.incarnation(segment)).isEqualTo(incarnations[segment]);
        assertThat(table.segmentEpoch(segment)).isEqualTo(epochs[segment]);
        assertThat(table.segmentEpoch(segment) == table.epoch())
            .isEqualTo(changed.contains(segment));
        int to = (int) ((segment * 31L) % (SEGMENTS - segment)) + segment + 1;
        assertThat(table.rangeStamp(segment, to)).isEqualTo(plain.rangeStamp(segment, to));
      }
      for (Member member : members) {
        assertThat(table.replicas(member.id()))
            .isEqualTo((int) rows.stream().filter(row -> row.contains(member.id())).count());
        assertOrdinal(member, table, before);
      }
    }

    private void assertOrdinal(Member member, SegmentTable table, SegmentTable before) {
      int ordinal = table.roster.ordinal(member.id());
      if (before.member(member.id()) != null) {
        assertThat(ordinal)
            .as("it keeps its ordinal")
            .isEqualTo(before.roster.ordinal(member.id()));
        return;
      }
      Long vacated = vacatedAt.get(ordinal);
      if (vacated != null) {
        assertThat(vacated).as("everybody has passed it").isLessThanOrEqualTo(reusableThrough);
      }
    }
  }
}
