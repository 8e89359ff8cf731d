package dev.headrace.cluster.detection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.message.Probe;
import dev.headrace.cluster.node.Images;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReachTest {
  private static final NodeId SELF = new NodeId(1, 1);
  private static final NodeId NEAR = new NodeId(1, 2);
  private static final NodeId FAR = new NodeId(1, 3);
  private static final NodeId CLIENT = new NodeId(1, 4);

  private final List<NodeId> answered = new ArrayList<>();
  private final Set<NodeId> asked = new HashSet<>();
  private final List<Set<NodeId>> reports = new ArrayList<>();
  private final Set<NodeId> silent = new HashSet<>();
  private final Set<Integer> silentShares = new HashSet<>();
  private final Reach reach = new Reach(SELF, this::send, reports::add, 1, 0);
  private final List<NodeId> due = new ArrayList<>();
  private int farShares = 1;
  private boolean farAsks;
  private long nowNanos;

  @Test
  void aMemberThatDoesNotAnswerIsReportedUntilItDoes() {
    Images.install(reach, table(1, 1, 1, 0));
    run(2_000);
    assertThat(asked).containsExactlyInAnyOrder(NEAR, FAR);
    assertThat(reports).isEmpty();

    silent.add(FAR);
    run(2_000);
    assertThat(reports).isEmpty();
    run(1_500);
    assertThat(reports).isNotEmpty().allMatch(Set.of(FAR)::equals);

    silent.clear();
    reports.clear();
    run(5_000);
    assertThat(reports).isNotEmpty();
    assertThat(reports.get(reports.size() - 1)).isEmpty();
    reports.clear();
    run(5_000);
    assertThat(reports).isEmpty();
  }

  @Test
  void aNewMemberMayTakeItsTime() {
    silent.add(FAR);
    Images.install(reach, owned(SELF, NEAR));
    run(9_500);
    assertThat(reports).isEmpty();
    run(1_500);
    assertThat(reports).isNotEmpty().allMatch(Set.of(FAR)::equals);
  }

  @Test
  void aNewMemberThatOwnsSomethingHasToBeHeardSoon() {
    silent.add(FAR);
    Images.install(reach, owned(SELF, NEAR));
    run(5_000);
    assertThat(reports).isEmpty();
    Images.install(reach, owned(SELF, FAR));
    run(2_000);
    assertThat(reports).isEmpty();
    run(1_500);
    assertThat(reports).isNotEmpty().allMatch(Set.of(FAR)::equals);
  }

  @Test
  void aNodeThatOwnsNothingYetIsPatientWithOwners() {
    silent.add(FAR);
    Images.install(reach, owned(NEAR, FAR));
    run(9_500);
    assertThat(reports).isEmpty();
  }

  @Test
  void aMemberWhoseLargeMessageGetsOnIsNotReported() {
    Images.install(reach, table(1, 1, 1, 0));
    run(1_000);
    silent.add(FAR);
    for (int i = 0; i < 20; i++) {
      run(500);
      reach.heard(FAR, 0, nowNanos);
    }
    assertThat(reports).isEmpty();
    run(3_500);
    assertThat(reports).isNotEmpty().allMatch(Set.of(FAR)::equals);
  }

  @Test
  void aLargeMessageOnOneConnectionDoesNotHideThatAnotherIsSilent() {
    Images.install(reach, table(1, 1, 1, 0));
    farShares = 2;
    farAsks = true;
    run(2_000);
    silentShares.addAll(List.of(0, 1));
    for (int i = 0; i < 60; i++) {
      run(100);
      reach.heard(FAR, 0, nowNanos);
    }
    assertThat(reports).isNotEmpty().allMatch(Set.of(FAR)::equals);
  }

  @Test
  void aNodeThatWasAwayItselfBlamesNobody() {
    Images.install(reach, table(1, 1, 1, 0));
    run(1_000);
    nowNanos += TimeUnit.SECONDS.toNanos(30);
    run(1_000);
    assertThat(reports).isEmpty();
  }

  @Test
  void howLongANodeWasAwayIsRecorded(@TempDir Path folder) throws IOException {
    Images.install(reach, table(1, 1, 1, 0));
    Path file = folder.resolve("stalls.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("dev.headrace.Stall");
      recording.start();
      run(1_000);
      nowNanos += TimeUnit.SECONDS.toNanos(30);
      run(1_000);
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> stalls = RecordingFile.readAllEvents(file);
    assertThat(stalls).hasSize(1);
    assertThat(stalls.get(0).getString("node")).isEqualTo("n0");
    assertThat(stalls.get(0).getDuration("stalled"))
        .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(31));
  }

  @Test
  void aNodeThatHoldsNothingAsksNobody() {
    Images.install(reach, table(0, 1, 1, 0));
    run(1_000);
    assertThat(asked).isEmpty();
  }

  @Test
  void whoIsNoMemberAnyMoreIsNotAskedAndStillFound() {
    SegmentTable before = table(1, 1, 1, 0);
    Images.install(reach, before);
    Images.install(reach, before.withoutMembers(9, Set.of(FAR)));
    asked.clear();
    run(5_000);
    assertThat(asked).containsExactly(NEAR);
    assertThat(reports).isEmpty();
    assertThat(reach.former(FAR)).isNotNull();

    reach.received(FAR, new Probe(1, false, 0, 1), nowNanos);
    assertThat(answered).containsExactly(FAR);
  }

  @Test
  void aFormerMemberIsAskedAsLongAsItAsks() {
    SegmentTable before = table(1, 1, 1, 0);
    Images.install(reach, before);
    Images.install(reach, before.withoutMembers(9, Set.of(FAR)));
    reach.received(FAR, new Probe(1, false, 0, 1), nowNanos);
    asked.clear();
    run(1_000);
    assertThat(asked).containsExactlyInAnyOrder(NEAR, FAR);

    run(2_000);
    asked.clear();
    run(2_000);
    assertThat(asked).containsExactly(NEAR);
    assertThat(reports).isEmpty();
  }

  @Test
  void aMemberOfWhichOneConnectionIsSilentIsReportedUntilItIsNot() {
    Images.install(reach, table(1, 1, 1, 0));
    farShares = 5;
    farAsks = true;
    run(8_000);
    assertThat(reports).isEmpty();

    silentShares.add(3);
    run(4_000);
    assertThat(reports).isEmpty();
    run(3_000);
    assertThat(reports).isNotEmpty().allMatch(Set.of(FAR)::equals);

    silentShares.clear();
    run(1_000);
    assertThat(reports.get(reports.size() - 1)).isEmpty();
  }

  @Test
  void aMemberThatOnlyAnswersAndAsksAgainLaterIsHeard() {
    Images.install(reach, table(1, 1, 1, 0));
    farShares = 5;
    farAsks = true;
    run(3_000);
    farAsks = false;
    run(10_000);
    farAsks = true;
    run(10_000);
    assertThat(reports).isEmpty();
  }

  @Test
  void eachConnectionIsProbed() {
    List<Probe> probes = new ArrayList<>();
    Reach many =
        new Reach(SELF, (to, message) -> probes.add((Probe) message), reports::add, 7, nowNanos);
    Images.install(many, table(1, 1));
    for (int i = 0; i < 100; i++) {
      nowNanos += TimeUnit.MILLISECONDS.toNanos(10);
      many.tick(nowNanos);
    }
    assertThat(probes).extracting(Probe::share).contains(0, 1, 2, 3, 4, 5, 6);
    assertThat(probes).allMatch(probe -> probe.shares() == 7 && !probe.answer());

    probes.clear();
    many.received(NEAR, new Probe(4, false, 9, 10), nowNanos);
    assertThat(probes).containsExactly(new Probe(4, true, 2, 7));
  }

  private void run(int millis) {
    for (int i = 0; i < millis / 10; i++) {
      nowNanos += TimeUnit.MILLISECONDS.toNanos(10);
      reach.tick(nowNanos);
      List<NodeId> now = List.copyOf(due);
      due.clear();
      now.forEach(this::answer);
    }
  }

  private void answer(NodeId node) {
    reach.received(node, new Probe(1, true, 0, 1), nowNanos);
    for (int share = 0; node.equals(FAR) && farAsks && share < farShares; share++) {
      if (!silentShares.contains(share)) {
        reach.received(node, new Probe(1, false, share, farShares), nowNanos);
      }
    }
  }

  private void send(NodeId to, Message message) {
    if (((Probe) message).answer()) {
      answered.add(to);
    } else {
      asked.add(to);
      if (!silent.contains(to)) {
        due.add(to);
      }
    }
  }

  /** A table in which each node with a capacity owns a segment, {@link #NEAR} all of them. */
  private static SegmentTable table(double... capacities) {
    List<NodeId> ids = List.of(SELF, NEAR, FAR, CLIENT);
    List<Member> members = new ArrayList<>();
    List<int[]> owners = new ArrayList<>();
    for (int i = 0; i < capacities.length; i++) {
      members.add(new Member(ids.get(i), "n" + i, "127.0.0.1", 1, "", capacities[i]));
      if (capacities[i] > 0) {
        owners.add(i == 1 ? new int[] {1} : new int[] {i, 1});
      }
    }
    return SegmentTable.of(
        new TableHeader(1, 1, 0, 1, owners.size(), 2, 100), members, owners.toArray(int[][]::new));
  }

  /** A table in which two own the only segment. */
  private static SegmentTable owned(NodeId primary, NodeId backup) {
    List<NodeId> ids = List.of(SELF, NEAR, FAR);
    return SegmentTable.of(
        new TableHeader(1, 1, 0, 1, 1, 2, 100),
        ids.stream().map(id -> new Member(id, "n", "127.0.0.1", 1, "", 1)).toList(),
        new int[][] {{ids.indexOf(primary), ids.indexOf(backup)}});
  }
}
