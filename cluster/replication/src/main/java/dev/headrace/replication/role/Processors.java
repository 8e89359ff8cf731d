package dev.headrace.replication.role;

import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.EntryDecision;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.ProcessorRun;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.message.Mutation.Change;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.stream.entry.StoredEntry;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a segment that change an entry by a processor ({@link Kind#PROCESS}), while
 * that runs beside the lane. Guarded by the lane.
 *
 * <pre>
 * state     event            guard                           next      effects
 * --------  ---------------  ------------------------------  --------  -------------------------
 * (none)    Operation        there is room                   RUNNING   a ProcessorRun with the
 *                            the key has none running                  entry as it is
 * (none)    Operation        there is room                   WAITING
 *                            the key has one running
 * WAITING,  Operation again                                  the same  its attempt is noted
 * RUNNING
 * RUNNING   its decision     the entry is another by now     RUNNING   a new ProcessorRun; from
 *                                                                      the second time on the key
 *                                                                      is reserved for the run
 * RUNNING   its decision     the entry is the same           (none)    one mutation; the key's
 *                                                                      next is RUNNING
 * RUNNING   none, since the  node has no thread for it       (none)    the key's are all refused
 * any       no primary more                                  (none)    all are refused
 * </pre>
 *
 * <p>What is decided becomes an ordinary mutation in the operation's name, with the processor's
 * answer as its result: so it takes effect once, however often it ran, and whoever is primary then
 * answers a repetition with what was decided. Until then nothing is known of it elsewhere.
 *
 * <p>Processors of one key run one after the other, since all but the first would find another
 * entry. Other mutations of the key do not wait for them.
 */
final class Processors {

  /** After so many runs in vain the key is reserved. */
  static final int OVERTAKEN_ENOUGH = 2;

  /** A version that no entry has. */
  private static final long NO_VERSION = -1;

  private final SegmentHistory history;
  private final WaitingOperations.Room room;
  private final Map<ByteBuffer, Deque<Processing>> byKey = new HashMap<>(0);

  /** An operation with all its attempts, of which the last is carried out. */
  static final class Processing {
    private final List<Operation> attempts = new ArrayList<>(1);
    private @Nullable ProcessorRun run;
    private int overtaken;

    private Processing(Operation operation) {
      attempts.add(operation);
    }

    Operation operation() {
      return attempts.get(attempts.size() - 1);
    }

    /** Takes out the attempts that are not carried out. */
    List<Operation> takeEarlier() {
      List<Operation> view = attempts.subList(0, attempts.size() - 1);
      List<Operation> earlier = List.copyOf(view);
      view.clear();
      return earlier;
    }
  }

  Processors(LaneSettings settings, SegmentHistory history) {
    this.history = history;
    this.room = new WaitingOperations.Room(settings);
  }

  /**
   * Takes an operation; it runs now, or after others of its key.
   *
   * @return false if there is no room
   */
  boolean begin(Operation operation, Effects effects) {
    ByteBuffer key = ByteBuffer.wrap(operation.key());
    Deque<Processing> ofKey = byKey.get(key);
    if (ofKey != null) {
      for (Processing processing : ofKey) {
        if (processing.operation().id().isSameOperation(operation.id())) {
          processing.attempts.add(operation);
          return true;
        }
      }
    }
    if (!room.take(WaitingOperations.bytesOf(operation))) {
      return false;
    }
    Processing processing = new Processing(operation);
    if (ofKey == null) {
      ofKey = new ArrayDeque<>(1);
      byKey.put(key, ofKey);
    }
    ofKey.add(processing);
    if (ofKey.size() == 1) {
      run(processing, effects);
    }
    return true;
  }

  private void run(Processing processing, Effects effects) {
    Operation operation = processing.operation();
    StoredEntry present = present(operation);
    ProcessorRun run =
        present == null
            ? new ProcessorRun(operation, null, 0, 0, 0)
            : new ProcessorRun(
                operation,
                present.value(),
                present.term(),
                present.counter(),
                present.expiryMillis());
    processing.run = run;
    effects.process(run);
  }

  private @Nullable StoredEntry present(Operation operation) {
    return history.replica().find(history.position(operation.key()), operation.key());
  }

  /** The operation that a run is for; null if nobody waits for the run any more. */
  @SuppressWarnings("ReferenceEquality") // A run is told from others by its identity.
  @Nullable Processing find(ProcessorRun run) {
    Deque<Processing> ofKey = byKey.get(ByteBuffer.wrap(run.operation().key()));
    Processing first = ofKey == null ? null : ofKey.peek();
    return first != null && first.run == run ? first : null;
  }

  /** Whether the entry is another by now than the one that was given to the processor. */
  boolean isOvertaken(ProcessorRun run) {
    StoredEntry present = present(run.operation());
    long term = present == null ? 0 : present.term();
    long counter = present == null ? 0 : present.counter();
    return term != run.versionTerm() || counter != run.versionCounter();
  }

  /**
   * Runs the processor of an operation again, with the entry as it is now.
   *
   * @return whether it has run in vain so often that its key should be reserved
   */
  boolean runAgain(Processing processing, Effects effects) {
    processing.overtaken++;
    run(processing, effects);
    return processing.overtaken >= OVERTAKEN_ENOUGH;
  }

  /** An operation has ended; the next one of its key runs. */
  void end(Processing processing, Effects effects) {
    ByteBuffer key = ByteBuffer.wrap(processing.operation().key());
    Deque<Processing> ofKey = byKey.get(key);
    if (ofKey == null) {
      return;
    }
    ofKey.remove(processing);
    room.giveBack(WaitingOperations.bytesOf(processing.operation()));
    Processing next = ofKey.peek();
    if (next == null) {
      byKey.remove(key);
    } else {
      run(next, effects);
    }
  }

  /** Takes out all operations on a key, with all attempts. */
  List<Operation> give(byte[] key) {
    Deque<Processing> ofKey = byKey.remove(ByteBuffer.wrap(key));
    List<Operation> given = new ArrayList<>();
    if (ofKey != null) {
      for (Processing processing : ofKey) {
        room.giveBack(WaitingOperations.bytesOf(processing.operation()));
        given.addAll(processing.attempts);
      }
    }
    return given;
  }

  /** All attempts of all operations. */
  List<Operation> waiting() {
    List<Operation> all = new ArrayList<>(0);
    byKey.values().forEach(ofKey -> ofKey.forEach(each -> all.addAll(each.attempts)));
    return all;
  }

  /** Whether what was decided is a change. */
  static boolean changes(Operation decided) {
    return decided.versionTerm() != NO_VERSION;
  }

  /** The operation that does what was decided about the entry that was found, and only to that. */
  static Operation decided(Processing processing, ProcessorRun run, EntryDecision decision) {
    Operation operation = processing.operation();
    boolean changes =
        decision.change() == Change.PUT
            || (decision.change() == Change.REMOVE && run.value() != null);
    return new Operation(
        operation.id(),
        operation.cache(),
        operation.format(),
        operation.segment(),
        operation.segmentEpoch(),
        operation.epoch(),
        operation.admission(),
        decision.change() == Change.PUT ? Kind.REPLACE_IF_VERSION : Kind.REMOVE_IF_VERSION,
        operation.key(),
        decision.value(),
        null,
        changes ? run.versionTerm() : NO_VERSION,
        changes ? run.versionCounter() : NO_VERSION,
        decision.expiryMillis(),
        false,
        false);
  }
}
