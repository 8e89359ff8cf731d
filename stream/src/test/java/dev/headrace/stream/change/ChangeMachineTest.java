package dev.headrace.stream.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.stream.NodeId;
import dev.headrace.stream.Ownership;
import dev.headrace.stream.change.ChangeAnswer.Status;
import dev.headrace.stream.change.ChangeMachine.Question;
import dev.headrace.stream.entry.Cursor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ChangeMachineTest {
  private static final NodeId NODE = new NodeId(1, 1);
  private static final NodeId BACKUP = new NodeId(1, 2);
  private static final byte[] ENTRY = {1, 2, 3};
  private static final byte[] CHANGE = {4, 5};

  private final Map<Integer, SegmentFeed> feeds = new TreeMap<>();
  private long nowNanos = 1;
  private int owners = 1;

  private ChangeMachine machine(int segments, Cursor content) {
    for (int segment = 0; segment < segments; segment++) {
      feeds.put(segment, new SegmentFeed(segment, 0, 0, -1, content));
    }
    return new ChangeMachine(
        new ChangeMachine.Terms("prices", 0, 1, false, 1 << 20), feeds, () -> "token");
  }

  private Question ask(ChangeMachine machine) {
    nowNanos += 300_000_000; // whatever rests has rested
    List<Question> questions = machine.ask(new FewOwners(feeds.size(), owners), nowNanos);
    assertThat(questions).hasSize(1);
    return questions.get(0);
  }

  private void answer(
      ChangeMachine machine, Question question, ChangeAnswer.Part part, byte[] told) {
    machine.answered(question, new ChangeAnswer(List.of(part), told), nowNanos);
  }

  private static ChangeAnswer.Part part(
      int segment, Status status, long next, long term, boolean stable, byte[] told) {
    return new ChangeAnswer.Part(segment, status, next, term, stable, Cursor.START, told.length);
  }

  private static List<Chunk> consume(ChangeMachine machine) {
    List<Chunk> chunks = new ArrayList<>();
    for (Chunk next = machine.poll(); next != null; next = machine.poll()) {
      chunks.add(next);
      machine.consumed(next);
    }
    return chunks;
  }

  @Test
  void aStreamIsLevelWhenAllIsHandedOverAndNodesHaveBeenAskedForMore() {
    ChangeMachine machine = machine(1, null);
    Question position = ask(machine);
    assertThat(machine.isLevel()).as("where it begins is not known").isFalse();
    answer(machine, position, part(0, Status.POSITION, 7, 1, true, new byte[0]), new byte[0]);
    Question waiting = ask(machine);
    assertThat(machine.isLevel()).isTrue();
    answer(machine, waiting, part(0, Status.CHANGES, 8, 1, true, CHANGE), CHANGE);
    assertThat(machine.isLevel()).as("not handed over").isFalse();
    consume(machine);
    Question more = ask(machine);
    assertThat(machine.isLevel()).isTrue();

    byte[] many = new byte[ChangeAnswer.MAX_BYTES];
    answer(machine, more, part(0, Status.CHANGES, 900, 1, true, many), many);
    consume(machine);
    Question rest = ask(machine);
    assertThat(machine.isLevel()).as("there may be more").isFalse();
    machine.answered(rest, ChangeAnswer.NOTHING, nowNanos);
    Question after = ask(machine);
    assertThat(machine.isLevel()).as("there was no more").isTrue();

    machine.answered(after, null, nowNanos);
    ask(machine);
    assertThat(machine.isLevel()).as("a node that does not answer").isFalse();
  }

  @Test
  void aStreamThatReadsContentIsNotLevel() {
    ChangeMachine machine = machine(1, Cursor.START);
    answer(machine, ask(machine), part(0, Status.CONTENT_END, 6, 3, false, ENTRY), ENTRY);
    Question verifying = ask(machine);
    assertThat(machine.isLevel()).as("held").isFalse();
    answer(machine, verifying, part(0, Status.CHANGES, 6, 3, true, new byte[0]), new byte[0]);
    consume(machine);
    ask(machine);
    assertThat(machine.isLevel()).isTrue();
  }

  @Test
  void contentWhoseLastMutationWasUndoneIsReadAgainAndNothingIsReplaced() {
    ChangeMachine machine = machine(1, Cursor.START);
    answer(machine, ask(machine), part(0, Status.CONTENT_END, 6, 3, false, ENTRY), ENTRY);
    Question verifying = ask(machine);
    assertThat(verifying.query().parts().get(0).limit()).isEqualTo(5);
    answer(machine, verifying, part(0, Status.UNDONE, 5, -1, true, new byte[0]), new byte[0]);
    assertThat(consume(machine)).isEmpty();
    Question again = ask(machine);
    assertThat(again.query().parts().get(0).content()).isEqualTo(Cursor.START);
    answer(machine, again, part(0, Status.CONTENT_END, 5, 2, true, ENTRY), ENTRY);
    List<Chunk> told = consume(machine);
    assertThat(told).extracting(Chunk::what).containsExactly(Chunk.What.ENTRIES);
    assertThat(told.get(0).next()).isEqualTo(5);
  }

  @Test
  void contentBehindWhatWasHandedOverIsReadAgainWhenItsLastMutationWasUndone() {
    Cursor reached = Cursor.after(7, new byte[] {1});
    feeds.put(0, new SegmentFeed(0, 0, 5, 2, reached));
    ChangeMachine machine =
        new ChangeMachine(
            new ChangeMachine.Terms("prices", 0, 1, false, 1 << 20), feeds, () -> "token");
    answer(machine, ask(machine), part(0, Status.CONTENT_END, 7, 2, false, ENTRY), ENTRY);
    answer(machine, ask(machine), part(0, Status.UNDONE, 6, -1, true, new byte[0]), new byte[0]);
    assertThat(consume(machine)).isEmpty();
    assertThat(ask(machine).query().parts().get(0).content()).isEqualTo(reached);
  }

  @Test
  void whatWasHandedOverAndUndoneIsReplaced() {
    Cursor reached = Cursor.after(7, new byte[] {1});
    feeds.put(0, new SegmentFeed(0, 0, 5, 2, reached));
    ChangeMachine machine =
        new ChangeMachine(
            new ChangeMachine.Terms("prices", 0, 1, false, 1 << 20), feeds, () -> "token");
    Question content = ask(machine);
    assertThat(content.query().parts().get(0).next()).isEqualTo(5);
    assertThat(content.query().parts().get(0).term()).isEqualTo(2);
    answer(machine, content, part(0, Status.CONTENT_END, 7, 2, false, ENTRY), ENTRY);
    answer(machine, ask(machine), part(0, Status.UNDONE, 4, -1, true, new byte[0]), new byte[0]);
    assertThat(consume(machine)).extracting(Chunk::what).containsExactly(Chunk.What.REPLACEMENT);
  }

  /** The backup may never hear that its last change is stable, if nobody writes any more. */
  @Test
  void contentThatCannotBeVerifiedIsReadFromWhoKnowsWhatIsStable() {
    ChangeMachine machine = machine(1, Cursor.START);
    owners = 2;
    Question first = ask(machine);
    assertThat(first.node()).isEqualTo(NODE);
    answer(machine, first, ChangeAnswer.Part.of(0, Status.NOT_HELD), new byte[0]);
    Question ofBackup = ask(machine);
    assertThat(ofBackup.node()).isEqualTo(BACKUP);
    answer(machine, ofBackup, part(0, Status.CONTENT_END, 6, 3, false, ENTRY), ENTRY);
    Question verifying = ask(machine);
    assertThat(verifying.node()).isEqualTo(NODE);
    assertThat(verifying.query().parts().get(0).limit()).isEqualTo(5);
    answer(machine, verifying, part(0, Status.FORGOTTEN, 6, -1, true, new byte[0]), new byte[0]);
    Question again = ask(machine);
    assertThat(again.node()).isEqualTo(NODE);
    assertThat(again.query().parts().get(0).content()).isEqualTo(Cursor.START);
    answer(machine, again, part(0, Status.CONTENT_END, 6, 3, true, ENTRY), ENTRY);
    assertThat(consume(machine)).extracting(Chunk::what).containsExactly(Chunk.What.ENTRIES);
  }

  /** The busiest segments fill whatever room an answer has, in the order of the question. */
  @Test
  void segmentsThatAlwaysHaveChangesDoNotKeepOthersFromBeingTold() {
    int segments = 16;
    ChangeMachine machine = machine(segments, null);
    Question positions = ask(machine);
    List<ChangeAnswer.Part> parts = new ArrayList<>();
    for (ChangeQuery.Part part : positions.query().parts()) {
      parts.add(part(part.segment(), Status.POSITION, 1, 0, true, new byte[0]));
    }
    machine.answered(positions, new ChangeAnswer(parts, new byte[0]), nowNanos);
    int[] told = new int[segments];
    for (int round = 0; round < 4 * segments; round++) {
      Question question = ask(machine);
      ChangeQuery.Part first = question.query().parts().get(0);
      answer(
          machine,
          question,
          part(first.segment(), Status.CHANGES, first.next() + 1, 1, true, CHANGE),
          CHANGE);
      consume(machine);
      told[first.segment()]++;
    }
    assertThat(told).containsOnly(4);
  }

  /** One node owns everything, perhaps with a backup. */
  private record FewOwners(int segments, int owners) implements Ownership.View {
    @Override
    public long epoch() {
      return 1;
    }

    @Override
    public int ownerCount(int segment) {
      return owners;
    }

    @Override
    public NodeId owner(int segment, int index) {
      return index == 0 ? NODE : BACKUP;
    }

    @Override
    public int incarnation(int segment) {
      return 0;
    }

    @Override
    public boolean written() {
      return true;
    }
  }
}
