package dev.headrace.replication.lane;

import dev.headrace.replication.log.EntryDecision;
import dev.headrace.replication.log.ProcessorRun;
import dev.headrace.replication.message.Mutation.Change;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.stream.entry.HashSpace;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.random.RandomGenerator;

/** What the callers of a simulation write, and where: numbered keys and values in a few caches. */
final class LaneWorkload {
  static final List<String> CACHES = List.of("c", "d", "late");

  /** So many keys are written and checked. */
  static final int KEYS = 15;

  /** From this one on each is of the segment and cache of the one that is so much before it. */
  private static final int COMPANIONS = 9;

  private static final int[] NUMBERS = numbers();

  private static final List<Kind> BLIND_KINDS =
      List.of(
          Kind.PUT,
          Kind.PUT_IF_ABSENT,
          Kind.REPLACE,
          Kind.REPLACE_IF_EQUAL,
          Kind.REMOVE,
          Kind.REMOVE_IF_EQUAL);

  private LaneWorkload() {}

  /** Something that needs no version that was read before. */
  static Kind blindKind(RandomGenerator random) {
    return BLIND_KINDS.get(random.nextInt(BLIND_KINDS.size()));
  }

  static String cacheOf(int key) {
    return CACHES.get(key % CACHES.size());
  }

  static byte[] key(int key) {
    return numbered(key < KEYS ? NUMBERS[key] : key);
  }

  private static byte[] numbered(int number) {
    return new byte[] {'k', (byte) (number >> 8), (byte) number};
  }

  private static int[] numbers() {
    HashSpace space = Tables.space(WriteSimulation.SEGMENTS);
    int[] numbers = new int[KEYS];
    int last = 100;
    for (int key = 0; key < KEYS; key++) {
      numbers[key] = key;
      if (key >= COMPANIONS) {
        int segment = space.segment(space.hash(numbered(key - COMPANIONS)));
        do {
          numbers[key] = last++;
        } while (space.segment(space.hash(numbered(numbers[key]))) != segment);
      }
    }
    return numbers;
  }

  /** The value of a number: mostly small, some larger than most ranges of a copy. */
  static byte[] bytes(int value) {
    int more = value % 29 == 0 ? 20_000 : value % 50;
    return ByteBuffer.allocate(4 + more).putInt(value).array();
  }

  /** What a processor with a number does; it is given by the number, as what it writes. */
  static Change changeOf(int value) {
    return switch (value % 5) {
      case 0 -> Change.NONE;
      case 1 -> Change.REMOVE;
      default -> Change.PUT;
    };
  }

  /** Does what a processor is called for, and answers the number that it has found. */
  static EntryDecision decide(ProcessorRun run) {
    int value = number(run.operation().expected());
    Change change = changeOf(value);
    byte[] found = run.value();
    return new EntryDecision(
        change,
        change == Change.PUT ? bytes(value) : null,
        change == Change.PUT ? run.operation().expiryMillis() : 0,
        found == null ? null : ByteBuffer.allocate(4).putInt(number(found)).array());
  }

  /** Whether a key is of a cache that nobody has to do with in the beginning. */
  static boolean isLate(int key) {
    return key % CACHES.size() == CACHES.size() - 1;
  }

  static int number(byte[] value) {
    return ByteBuffer.wrap(value).getInt();
  }
}
