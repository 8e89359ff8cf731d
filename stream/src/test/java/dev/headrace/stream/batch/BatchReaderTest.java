package dev.headrace.stream.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.operator.Expressions;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.NodeFunctions;
import dev.headrace.stream.batch.SegmentPart.Status;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.function.FunctionTable;
import dev.headrace.stream.operator.EntryChoice;
import dev.headrace.stream.operator.FunctionCall;
import dev.headrace.stream.operator.OperatorCompiler;
import dev.headrace.stream.operator.Operators;
import dev.headrace.stream.store.ReplicaState;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How a node answers a request. */
class BatchReaderTest {

  private final HashSpace space = new HashSpace(4, 7);
  private final SegmentStore store = new SegmentStore(space, () -> 1000, StoreLimits.DEFAULT);
  private final BatchReader reader = new BatchReader();
  private final ByteBuffer out = ByteBuffer.allocateDirect(1 << 16);
  private final int[] perSegment = new int[4];

  BatchReaderTest() {
    for (int s = 0; s < 4; s++) {
      store.open(s, 0, ReplicaState.OWNER);
    }
    for (int i = 0; i < 100; i++) {
      put("key-" + i, "value-" + i);
    }
  }

  private void put(String key, String value) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    long hash = space.hash(bytes);
    perSegment[space.segment(hash)]++;
    store
        .replica(space.segment(hash))
        .put(space.position(hash), bytes, value.getBytes(StandardCharsets.UTF_8), 1, 1, 0);
  }

  @Test
  void allSegmentsOfARequestGoIntoOneBatch() {
    List<SegmentPart> parts = answer(request(1000, 1 << 16, 0, 1, 2, 3));
    assertThat(parts).hasSize(4).allMatch(part -> part.status() == Status.DONE);
    for (int s = 0; s < 4; s++) {
      assertThat(parts.get(s).entries()).isEqualTo(perSegment[s]);
    }
    assertThat(keysIn(100)).hasSize(100);
  }

  @Test
  void anAnswerStopsWhenTheCreditIsUsedUpAndGoesOnAtTheCursor() {
    int total = 0;
    Cursor cursor = Cursor.START;
    Status status;
    do {
      out.clear();
      ReadRequest request =
          new ReadRequest(
              "c",
              0,
              0,
              new int[] {2},
              new int[1],
              cursor,
              7,
              4000,
              false,
              Projection.ENTRIES,
              null);
      List<SegmentPart> parts = reader.answer(store, 0, request, out);
      assertThat(parts).hasSize(1);
      assertThat(parts.get(0).entries()).isLessThanOrEqualTo(7);
      total += parts.get(0).entries();
      cursor = parts.get(0).cursor();
      status = parts.get(0).status();
    } while (status == Status.MORE);
    assertThat(status).isEqualTo(Status.DONE);
    assertThat(total).isEqualTo(perSegment[2]);
  }

  @Test
  void bytesAreNeverExceeded() {
    for (int room = 1; room < 400; room++) {
      out.clear();
      List<SegmentPart> parts = answer(request(1000, room, 0, 1));
      assertThat(out.position()).isLessThanOrEqualTo(room);
      if (parts.get(0).status() == Status.TOO_LARGE) {
        assertThat(reader.entryBytes()).isGreaterThan(room);
        assertThat(out.position()).isZero();
      } else {
        assertThat(parts.get(0).entries()).isPositive();
      }
    }
  }

  @Test
  void rowsAndResultsThatDoNotFitInTheBufferGoOnAtTheirCursor() {
    OperatorCompiler compiler = new OperatorCompiler(Codecs.string(), Codecs.string());
    OperatorCompiler.Part key = compiler.decodable(Expressions.key());
    for (byte[] program :
        List.of(
            compiler.compileRows(EntryChoice.ALL, List.of(key)),
            compiler.compileReduction(EntryChoice.ALL, key, null))) {
      Cursor cursor = Cursor.START;
      int answers = 0;
      Status status = Status.MORE;
      while (status == Status.MORE) {
        ByteBuffer little = ByteBuffer.allocate(200);
        ReadRequest request =
            new ReadRequest(
                "c",
                0,
                0,
                new int[] {2},
                new int[1],
                cursor,
                1000,
                1 << 20,
                false,
                Projection.VALUES,
                null,
                Operators.load(program));
        SegmentPart part = reader.answer(store, 0, request, little).get(0);
        assertThat(part.entries()).isPositive();
        // A node that is told of an entry answers anew, with more room for it.
        assertThat(reader.entryBytes()).isZero();
        status = part.status();
        cursor = part.cursor();
        answers++;
      }
      assertThat(status).isEqualTo(Status.DONE);
      assertThat(answers).isGreaterThan(1);
    }
  }

  @Test
  void whatIsNotHeldIsRefusedForItselfAlone() {
    store.drop(1);
    store.replica(2).become(ReplicaState.COPYING);
    List<SegmentPart> parts = answer(request(1000, 1 << 16, 0, 1, 2, 3));
    assertThat(parts.stream().map(SegmentPart::status))
        .containsExactly(Status.DONE, Status.NOT_HELD, Status.NOT_HELD, Status.DONE);
  }

  @Test
  void anotherIncarnationIsNotHeld() {
    ReadRequest request =
        new ReadRequest(
            "c",
            0,
            0,
            new int[] {0},
            new int[] {1},
            Cursor.START,
            9,
            9000,
            false,
            Projection.ENTRIES,
            null);
    assertThat(answer(request).get(0).status()).isEqualTo(Status.NOT_HELD);
  }

  @Test
  void anUnknownCacheOrSegmentIsNotHeld() {
    assertThat(reader.answer(null, 0, request(9, 900, 0, 1), out))
        .hasSize(2)
        .allMatch(part -> part.status() == Status.NOT_HELD);
    assertThat(answer(request(9, 900, 4)).get(0).status()).isEqualTo(Status.NOT_HELD);
    assertThat(answer(request(9, 900, -1)).get(0).status()).isEqualTo(Status.NOT_HELD);
  }

  @Test
  void anotherFormatIsRefused() {
    ReadRequest request =
        new ReadRequest(
            "c",
            5,
            0,
            new int[] {0},
            new int[1],
            Cursor.START,
            9,
            900,
            false,
            Projection.ENTRIES,
            null);
    assertThat(reader.answer(store, 6, request, out).get(0).status())
        .isEqualTo(Status.WRONG_FORMAT);
    assertThat(reader.answer(store, 5, request, out).get(0).status()).isEqualTo(Status.MORE);
  }

  @Test
  void chosenKeysAreLookedUp() {
    for (Projection projection : List.of(Projection.ENTRIES, Projection.KEYS)) {
      out.clear();
      byte[][] keys = {
        "key-1".getBytes(StandardCharsets.UTF_8), "absent".getBytes(StandardCharsets.UTF_8)
      };
      int segment = space.segment(space.hash(keys[0]));
      ReadRequest request =
          new ReadRequest(
              "c",
              0,
              0,
              new int[] {segment},
              new int[1],
              Cursor.START,
              9,
              900,
              false,
              projection,
              keys);
      List<SegmentPart> parts = answer(request);
      assertThat(parts.get(0).status()).isEqualTo(Status.DONE);
      assertThat(parts.get(0).entries()).isEqualTo(1);
    }
  }

  @Test
  void aRequestIsBounded() {
    assertThatThrownBy(() -> request(9, 900, new int[1025]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> request(9, 900)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> request(0, 900, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> request(1, 0, 1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aStateThatOnlyTheBufferHasNoRoomForIsMadeOnceMoreOfAllItsEntries() {
    FunctionName<String, String> all = FunctionName.of("all", Codecs.string(), Codecs.string());
    int[] called = {0};
    NodeFunctions<String, String> known =
        NodeFunctions.over(Codecs.string(), Codecs.string())
            .collect(
                all,
                () -> "",
                (state, key, value, argument) -> {
                  called[0]++;
                  return state + "x".repeat(1000);
                });
    BatchReader calling =
        new BatchReader(
            new FunctionTable("one", List.of(known), (k, v) -> 0, () -> 1 << 20, () -> 0));
    FunctionCall call = FunctionCall.of(FunctionCall.Kind.COLLECT, all, "");
    Operators program =
        Operators.load(
            new OperatorCompiler(Codecs.string(), Codecs.string())
                .compileCall(EntryChoice.ALL, call));
    ReadRequest request =
        new ReadRequest(
            "c",
            0,
            0,
            new int[] {0, 1, 2, 3},
            new int[4],
            Cursor.START,
            1000,
            1 << 17,
            false,
            Projection.VALUES,
            null,
            program);
    assertThat(calling.answer(store, 0, request, out))
        .singleElement()
        .matches(part -> part.status() == Status.TOO_LARGE);
    assertThat(called[0]).isEqualTo(100);
    assertThat(calling.entryBytes()).isBetween(100_000L, 100_100L);
    assertThat(out.position()).isZero();
    ByteBuffer larger = ByteBuffer.allocate((int) calling.entryBytes());
    List<SegmentPart> parts = calling.answer(store, 0, request, larger);
    assertThat(parts).hasSize(4).allMatch(part -> part.status() == Status.DONE);
    assertThat(called[0]).isEqualTo(200);
    assertThat(larger.remaining()).isZero();
  }

  @Test
  void aBatchIsReleasedOnce() {
    int[] released = new int[1];
    Batch batch = new Batch(0, out, List.of(), 0, () -> released[0]++);
    batch.release();
    assertThatThrownBy(batch::release).isInstanceOf(IllegalStateException.class);
    assertThat(released[0]).isEqualTo(1);
  }

  private static ReadRequest request(int entries, int bytes, int... segments) {
    return new ReadRequest(
        "c",
        0,
        0,
        segments,
        new int[segments.length],
        Cursor.START,
        entries,
        bytes,
        false,
        Projection.ENTRIES,
        null);
  }

  private List<SegmentPart> answer(ReadRequest request) {
    return reader.answer(store, 0, request, out);
  }

  private Set<String> keysIn(int entries) {
    out.flip();
    EntryDecoder<Map.Entry<String, String>> decoder =
        EntryDecoder.entries(Codecs.string(), Codecs.string());
    decoder.begin(out);
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < entries; i++) {
      Map.Entry<String, String> entry = decoder.next();
      assertThat(entry.getValue()).isEqualTo(entry.getKey().replace("key", "value"));
      keys.add(entry.getKey());
    }
    return keys;
  }
}
