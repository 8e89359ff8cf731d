package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.client.Failure;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.lane.Stage.Answer;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The format of a cache's keys and values, by which callers are admitted or refused. */
class AdmittedFormatsTest {

  @Test
  void anotherFormatThanTheCachesIsRefused() {
    Stage stage = Stage.written(2, 2);
    stage.submit(put(7, "v"));
    stage.deliverAll();
    Answer write = stage.submit(put(8, "w"));
    Answer read = stage.submit(1, Request.get(Stage.CACHE, 8, Stage.bytes("k"), true));
    stage.deliverAll();
    assertThat(write.failure).isEqualTo(Failure.WRONG_FORMAT);
    assertThat(read.failure).as("a backup knows the format too").isEqualTo(Failure.WRONG_FORMAT);
    assertThat(stage.stored(0, "k")).isEqualTo("v");
  }

  @Test
  void whoHasNoLeaseRefusesNoFormat() {
    Stage stage = Stage.written(2, 2);
    assertThat(applied(stage, put(7, "v"))).isTrue();
    stage.node(0).lease = () -> false;
    stage.node(1).lease = () -> false;
    Answer write = stage.submit(put(8, "w"));
    Answer read = stage.submit(1, Request.get(Stage.CACHE, 8, Stage.bytes("k"), true));
    stage.deliverAll();
    assertThat(write.pending()).isTrue();
    assertThat(read.pending()).isTrue();
    stage.node(0).lease = () -> true;
    stage.node(1).lease = () -> true;
    stage.tickUntilResent();
    stage.deliverAll();
    assertThat(write.failure).isEqualTo(Failure.WRONG_FORMAT);
    assertThat(read.failure).isEqualTo(Failure.WRONG_FORMAT);
  }

  /** While it was away, somebody may have removed the cache, and used its name again. */
  @Test
  void whoWasAwayDoesNotInsistOnAFormat() {
    Stage stage = Stage.written(2, 2);
    assertThat(applied(stage, put(7, "v"))).isTrue();
    assertThat(applied(stage, Request.remove(Stage.CACHE, 7, Stage.bytes("k"), false))).isTrue();
    Member away = stage.table.member(Tables.node(1));
    stage.install(Tables.without(stage.table, away.id()), 0, 2);
    stage.deliverAll();
    assertThat(stage.node(0).exchange.lanes().forget(Stage.CACHE)).isTrue();
    assertThat(applied(stage, put(8, "w"))).isTrue();

    Lanes returned = stage.node(1).exchange.lanes();
    assertThat(returned.admits(Stage.CACHE, 8)).isFalse();
    stage.installEverywhere(Tables.with(stage.table, away));
    assertThat(returned.admits(Stage.CACHE, 8)).isTrue();
    List<NodeId> owners = List.of(Tables.node(0), away.id());
    stage.installEverywhere(Tables.withRows(stage.table, Map.of(0, owners)));
    assertThat(applied(stage, put(8, "x"))).isTrue();
    assertThat(stage.stored(1, "k")).isEqualTo("x");
    assertThat(returned.admits(Stage.CACHE, 7)).isFalse();
  }

  @Test
  void whoWasAwayKnowsTheFormatOfWhatItHas() {
    Stage stage = Stage.written(1, 1);
    assertThat(applied(stage, put(7, "v"))).isTrue();
    Member only = stage.table.member(Tables.node(0));
    SegmentTable waiting =
        stage.table.apply(
            stage.table.edit(Tables.next(stage.table)).withdrawMembers(List.of(only.id())).delta());
    stage.installEverywhere(
        waiting.apply(waiting.edit(Tables.next(waiting)).readmit(List.of(only)).delta()));
    Lanes returned = stage.node(0).exchange.lanes();
    assertThat(returned.admits(Stage.CACHE, 8)).isFalse();
    assertThat(returned.admits(Stage.CACHE, 7)).isTrue();
  }

  private static boolean applied(Stage stage, Request request) {
    Answer answer = stage.submit(request);
    stage.deliverAll();
    stage.tickUntilResent();
    stage.deliverAll();
    return answer.applied();
  }

  private static Request put(int format, String value) {
    return Stage.set(Kind.PUT, format, "k", value);
  }
}
