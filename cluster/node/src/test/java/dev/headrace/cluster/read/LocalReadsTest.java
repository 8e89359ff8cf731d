package dev.headrace.cluster.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.error.WireException;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.Projection;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Batches that a node reads from itself. */
class LocalReadsTest {
  private static final NodeId SELF = new NodeId(1, 1);
  private static final NodeId OTHER = new NodeId(1, 2);
  private static final int MAX_BYTES = 10_000;

  private final List<Integer> inUse = new ArrayList<>(); // the buffers' sizes
  private final List<NodeId> asked = new ArrayList<>();
  private final List<Batch> batches = new ArrayList<>();
  private final List<Throwable> failures = new ArrayList<>();

  private final BatchBuffers buffers =
      new BatchBuffers() {
        @Override
        public Buffer allocate(int bytes) {
          ByteBuffer memory = ByteBuffer.allocateDirect(bytes);
          Integer size = bytes;
          inUse.add(size);
          return new Buffer() {
            @Override
            public ByteBuffer bytes() {
              return memory;
            }

            @Override
            public void run() {
              assertThat(inUse.remove(size)).as("given back once").isTrue();
            }
          };
        }

        @Override
        public long usedBytes() {
          return inUse.stream().mapToInt(size -> size).sum();
        }
      };

  private void read(NodeId node, ReadService service) {
    new LocalReads(SELF, service, buffers, (to, request, handler) -> asked.add(to))
        .read(
            node,
            new ReadRequest(
                "quotes",
                1,
                17,
                new int[] {5},
                new int[] {0},
                Cursor.START,
                10,
                MAX_BYTES,
                false,
                Projection.ENTRIES,
                null),
            new ReadHandler() {
              @Override
              public void received(Batch batch) {
                batches.add(batch);
              }

              @Override
              public void failed(Throwable cause) {
                failures.add(cause);
              }
            });
  }

  private static ReadService filling(int bytes) {
    return (request, reply) -> {
      ByteBuffer out = reply.entries(MAX_BYTES);
      for (int i = 0; i < bytes; i++) {
        out.put((byte) i);
      }
      reply.answer(17, parts(), 0, Batch.NO_SEQUENCE);
    };
  }

  private static List<SegmentPart> parts() {
    return List.of(new SegmentPart(5, 1, SegmentPart.Status.DONE, Cursor.START));
  }

  private void assertBatchOf(int bytes) {
    assertThat(failures).isEmpty();
    assertThat(batches).hasSize(1);
    Batch batch = batches.get(0);
    assertThat(batch.epoch()).isEqualTo(17);
    assertThat(batch.parts()).isEqualTo(parts());
    ByteBuffer entries = batch.entries();
    assertThat(entries.remaining()).isEqualTo(bytes);
    for (int i = 0; i < bytes; i++) {
      assertThat(entries.get()).isEqualTo((byte) i);
    }
    batch.release();
    assertThat(inUse).isEmpty();
  }

  @Test
  void anAnswerIsThereWhenTheReadReturns() {
    read(SELF, filling(MAX_BYTES));
    assertThat(asked).isEmpty();
    assertBatchOf(MAX_BYTES);
  }

  @Test
  void aBatchThatFillsLittleOfItsBufferKeepsASmallerOne() {
    read(SELF, filling(100));
    assertThat(inUse).containsExactly(100);
    assertBatchOf(100);
  }

  @Test
  void anAnswerWithoutEntriesNeedsNoBuffer() {
    read(SELF, (request, reply) -> reply.answer(17, parts(), 0, Batch.NO_SEQUENCE));
    assertThat(inUse).isEmpty();
    assertBatchOf(0);
  }

  @Test
  void noMoreRoomIsGivenThanTheRequestAllows() {
    read(
        SELF,
        (request, reply) -> {
          assertThat(reply.entries(100 * MAX_BYTES).remaining()).isEqualTo(MAX_BYTES);
          assertThat(reply.entries(0).remaining()).isZero();
          assertThat(inUse).as("the first one is given back").hasSize(1);
          reply.answer(17, parts(), 99, Batch.NO_SEQUENCE);
        });
    assertThat(batches.get(0).entryBytes()).isEqualTo(99);
    assertBatchOf(0);
  }

  @Test
  void aReadThatFailsGivesItsBufferBack() {
    IllegalStateException broken = new IllegalStateException("the mill is broken");
    read(
        SELF,
        (request, reply) -> {
          reply.entries(10);
          throw broken;
        });
    read(
        SELF,
        (request, reply) -> {
          reply.entries(10);
          reply.fail("come back later");
        });
    assertThat(batches).isEmpty();
    assertThat(failures).hasSize(2).first().isSameAs(broken);
    assertThat(failures.get(1))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("come back later");
    assertThat(inUse).isEmpty();
  }

  @Test
  void otherNodesAreAskedByTheWire() {
    read(OTHER, filling(1));
    assertThat(asked).containsExactly(OTHER);
    assertThat(batches).isEmpty();
  }
}
