package dev.headrace.cluster.ingest.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.replication.client.Failure;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class IngestMachineTest {
  private static final int ENTRY_BYTES = 20;
  private static final long LINGER_NANOS = 1_000;
  private static final long RETRY_NANOS = 1_000_000_000;

  private final List<PendingWrite> ended = new ArrayList<>();

  private static IngestMachine machine(int batchBytes) {
    return machine(batchBytes, LINGER_NANOS, true);
  }

  private static IngestMachine machine(int batchBytes, long lingerNanos, boolean keyed) {
    IngestLimits limits = new IngestLimits(batchBytes, lingerNanos, RETRY_NANOS, false, false);
    return new IngestMachine(limits, keyed, segment -> new NodeId(1, segment % 2));
  }

  /** A write of a key, which is its hash, too; of the node with its last bit. */
  private PendingWrite write(int key) {
    byte[] keyBytes = {(byte) key};
    byte[] value = new byte[ENTRY_BYTES - 1];
    PendingWrite write =
        new PendingWrite(Request.set(Kind.PUT, "c", 1, keyBytes, value, 0, false), ended::add);
    write.routed(key, key);
    return write;
  }

  private static void acknowledge(PendingWrite write) {
    write.done(new OperationReply(1, Outcome.DONE, true, null, 1, 1, 0, 1));
  }

  private static void refuse(PendingWrite write, Failure failure) {
    write.failed(OperationFault.of(failure, "refused", write.request()));
  }

  @Test
  void aFullBatchLeavesAtOnceAndAnOpenOneWhenItHasLingered() {
    IngestMachine machine = machine(2 * ENTRY_BYTES);
    machine.add(write(2), 0);
    assertThat(machine.take(LINGER_NANOS - 1)).isEmpty();
    assertThat(machine.nextNanos(0)).isEqualTo(LINGER_NANOS);
    machine.add(write(4), 0);
    machine.add(write(6), 0);

    assertThat(machine.take(0)).hasSize(1).allMatch(batch -> batch.writes().size() == 2);
    assertThat(machine.take(LINGER_NANOS)).hasSize(1);
    assertThat(machine.nextNanos(LINGER_NANOS)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void eachNodeHasABatchOfItsOwn() {
    IngestMachine machine = machine(1_000);
    machine.add(write(2), 0);
    machine.add(write(3), 0);
    machine.add(write(4), 0);
    machine.finish();

    assertThat(machine.take(0)).extracting(batch -> batch.writes().size()).contains(2, 1);
  }

  @Test
  void onlySoManyBatchesAreInFlightToANodeAndTheNextGrow() {
    IngestMachine machine = machine(ENTRY_BYTES);
    int usual = IngestLimits.USUAL_IN_FLIGHT;
    int larger = IngestLimits.MAX_IN_FLIGHT - usual;
    List<WriteBatch> left = new ArrayList<>();
    for (int i = 0; i < usual + (larger + 1) * IngestLimits.SLOW_FACTOR; i++) {
      machine.add(write(2 * i), 0);
      left.addAll(machine.take(0));
    }
    assertThat(left).hasSize(IngestLimits.MAX_IN_FLIGHT);
    assertThat(left.get(usual).writes()).hasSize(IngestLimits.SLOW_FACTOR);

    PendingWrite first = left.get(0).writes().get(0);
    acknowledge(first);
    machine.ended(first, 10);

    assertThat(machine.take(10))
        .hasSize(1)
        .allMatch(batch -> batch.writes().size() == IngestLimits.SLOW_FACTOR);
  }

  /** Without keys a batch is for one segment, and never larger than the setting. */
  @Test
  void aBatchThatIsNotFullWaitsForAnAnswerIfTwoAreInFlight() {
    int perBatch = 4;
    IngestMachine machine = machine(perBatch * ENTRY_BYTES, 0, false);
    List<WriteBatch> left = new ArrayList<>();
    for (int i = 0; i < IngestLimits.USUAL_IN_FLIGHT + perBatch - 1; i++) {
      machine.add(write(2), 0);
      left.addAll(machine.take(0));
    }
    assertThat(left)
        .hasSize(IngestLimits.USUAL_IN_FLIGHT)
        .allMatch(batch -> batch.writes().size() == 1);

    machine.add(write(2), 0);
    assertThat(machine.take(0)).as("full").hasSize(1);

    machine.add(write(2), 0);
    assertThat(machine.take(0)).isEmpty();
    for (WriteBatch batch : left) {
      PendingWrite write = batch.writes().get(0);
      acknowledge(write);
      machine.ended(write, 10);
    }
    assertThat(machine.take(10)).hasSize(1).allMatch(batch -> batch.writes().size() == 1);
  }

  @Test
  void aWriteWaitsForTheOneBeforeItOfItsKey() {
    IngestMachine machine = machine(ENTRY_BYTES);
    PendingWrite first = write(2);
    PendingWrite second = write(2);
    machine.add(first, 0);
    machine.add(second, 0);
    assertThat(machine.take(LINGER_NANOS)).hasSize(1);

    acknowledge(first);
    assertThat(machine.ended(first, 10)).isEqualTo(IngestMachine.Fate.DONE);

    assertThat(machine.take(10).get(0).writes()).containsExactly(second);
  }

  @Test
  void whatWasNotCarriedOutIsTriedAgainBeforeItsSuccessor() {
    IngestMachine machine = machine(ENTRY_BYTES);
    PendingWrite first = write(2);
    machine.add(first, 0);
    machine.add(write(2), 0);
    machine.take(0);

    refuse(first, Failure.UNAVAILABLE);
    assertThat(machine.ended(first, 10)).isEqualTo(IngestMachine.Fate.RETRIED);
    assertThat(machine.take(10)).isEmpty();
    assertThat(machine.nextNanos(10)).isEqualTo(IngestLimits.BACKOFF_NANOS);

    List<WriteBatch> again = machine.take(10 + IngestLimits.BACKOFF_NANOS);
    assertThat(again).hasSize(1);
    assertThat(again.get(0).writes()).containsExactly(first);
    assertThat(machine.retried()).isEqualTo(1);
  }

  @Test
  void whatMayHaveBeenCarriedOutIsNotTriedAgain() {
    IngestMachine machine = machine(ENTRY_BYTES);
    PendingWrite write = write(2);
    machine.add(write, 0);
    machine.take(0);

    refuse(write, Failure.UNKNOWN);

    assertThat(machine.ended(write, 10)).isEqualTo(IngestMachine.Fate.FAILED);
  }
}
