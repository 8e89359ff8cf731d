package dev.headrace.stream.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.operator.Expressions;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryFilter;
import dev.headrace.stream.entry.EntryView;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.entry.StoredEntry;
import dev.headrace.stream.operator.EntryChoice;
import dev.headrace.stream.operator.EntryFrame;
import dev.headrace.stream.operator.GroupReducer;
import dev.headrace.stream.operator.GroupTable;
import dev.headrace.stream.operator.OperatorCompiler;
import dev.headrace.stream.operator.Operators;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Readers on threads of their own against one writer that overwrites, removes, grows and compacts.
 *
 * <p>Every value repeats one byte and ends with its key, so that a torn copy gives itself away.
 */
class RacingReadersTest {

  private static final int STEADY_KEYS = 300;
  private static final int PASSING_KEYS = 3000;
  private static final int MUTATIONS = 300_000;
  private static final OperatorCompiler COMPILER =
      new OperatorCompiler(Codecs.string(), Codecs.bytes());
  private static final EntryChoice STEADY =
      EntryChoice.ALL.and(Expressions.key().startsWith("steady"));

  @ParameterizedTest
  @ValueSource(ints = {20, 400, 3000})
  void noReaderSeesATornEntryOrMissesAKeyThatIsAlwaysThere(int valueBytes) throws Exception {
    SegmentStore store = new SegmentStore(new HashSpace(1, 9), () -> 0, StoreLimits.DEFAULT);
    Replica replica = store.open(0, 0, ReplicaState.OWNER);
    for (int i = 0; i < STEADY_KEYS; i++) {
      put(store, "steady" + i, valueBytes, i);
    }
    AtomicBoolean writing = new AtomicBoolean(true);
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      List<Future<Integer>> readers =
          List.of(
              threads.submit(() -> scan(replica, writing, 1 << 20)),
              threads.submit(() -> scan(replica, writing, 8_000)),
              threads.submit(() -> lookUp(store, writing)));
      write(store, valueBytes);
      writing.set(false);
      for (Future<Integer> reader : readers) {
        assertThat(reader.get(60, TimeUnit.SECONDS)).isPositive();
      }
    } finally {
      writing.set(false);
      threads.shutdownNow();
      assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aFilterNeverChoosesByATornEntry() throws Exception {
    SegmentStore store = new SegmentStore(new HashSpace(1, 9), () -> 0, StoreLimits.DEFAULT);
    Replica replica = store.open(0, 0, ReplicaState.OWNER);
    for (int i = 0; i < STEADY_KEYS; i++) {
      put(store, "steady" + i, 100, i);
    }
    Operators steady = Operators.load(COMPILER.compile(STEADY));
    AtomicBoolean writing = new AtomicBoolean(true);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      List<Future<Integer>> readers =
          List.of(
              threads.submit(() -> choose(replica, writing, steady, Projection.ENTRIES)),
              threads.submit(() -> choose(replica, writing, steady, Projection.NOTHING)));
      write(store, 100);
      writing.set(false);
      for (Future<Integer> reader : readers) {
        assertThat(reader.get(60, TimeUnit.SECONDS)).isPositive();
      }
    } finally {
      writing.set(false);
      threads.shutdownNow();
      assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aSumNeverCountsATornEntry() throws Exception {
    SegmentStore store = new SegmentStore(new HashSpace(1, 9), () -> 0, StoreLimits.DEFAULT);
    Replica replica = store.open(0, 0, ReplicaState.OWNER);
    for (int i = 0; i < STEADY_KEYS; i++) {
      put(store, "steady" + i, 100, i);
    }
    AtomicBoolean writing = new AtomicBoolean(true);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      List<Future<Integer>> readers =
          List.of(
              threads.submit(() -> addUp(replica, writing, EntryChoice.ALL)),
              threads.submit(() -> addUp(replica, writing, STEADY)));
      write(store, 100);
      writing.set(false);
      for (Future<Integer> reader : readers) {
        assertThat(reader.get(60, TimeUnit.SECONDS)).isPositive();
      }
    } finally {
      writing.set(false);
      threads.shutdownNow();
      assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** Adds up the lengths of values by key, so that each key is a group of its own. */
  private static int addUp(Replica replica, AtomicBoolean writing, EntryChoice choice) {
    Operators sums =
        Operators.load(
            COMPILER.compileReduction(
                choice,
                COMPILER.decodable(Expressions.key()),
                COMPILER.number(Expressions.value().lengthBytes())));
    SegmentReader reader = new SegmentReader();
    int scans = 0;
    while (writing.get() || scans == 0) {
      GroupTable result = new GroupTable(sums, replica.store().space());
      GroupReducer reducer =
          new GroupReducer(sums, new EntryFrame(() -> 0), result, Integer.MAX_VALUE);
      Cursor cursor = Cursor.START;
      ReadStatus status = ReadStatus.MORE;
      while (status == ReadStatus.MORE) {
        status = reader.add(replica, cursor, 500, reducer);
        cursor = reader.next();
      }
      assertThat(status).isEqualTo(ReadStatus.DONE);
      checkSums(result.encode());
      scans++;
    }
    return scans;
  }

  private static void checkSums(byte[] encoded) {
    ByteInput in = ByteInput.of(encoded);
    int steady = 0;
    for (int left = in.readVarInt(); left > 0; left--) {
      String key = OneSegment.text(in.readBytes(in.readVarInt() - 1));
      assertThat(key).matches("(steady|passing)[0-9]+");
      assertThat(in.readVarLong()).as("entries of %s", key).isOne();
      assertThat(in.readVarLong()).as("values of %s", key).isOne();
      long sum = in.readLong();
      in.readBytes(3 * Long.BYTES);
      if (key.startsWith("steady")) {
        assertThat(sum).isEqualTo(100 + 1 + key.length());
        steady++;
      }
    }
    assertThat(steady).isEqualTo(STEADY_KEYS);
  }

  private static int choose(
      Replica replica, AtomicBoolean writing, Operators wanted, Projection projection) {
    ByteBuffer out = ByteBuffer.allocateDirect(1 << 20);
    SegmentReader reader = new SegmentReader();
    EntryView view = new EntryView();
    EntryFilter filter = wanted.filter(new EntryFrame(() -> 0));
    int scans = 0;
    while (writing.get() || scans == 0) {
      int chosen = 0;
      Cursor cursor = Cursor.START;
      ReadStatus status = ReadStatus.MORE;
      while (status == ReadStatus.MORE) {
        out.clear();
        SegmentReader.Budget budget = new SegmentReader.Budget(100_000, 1 << 20, 500);
        status = reader.read(replica, cursor, budget, projection, filter, out);
        cursor = reader.next();
        chosen += reader.entries();
        for (int at = 0; at < out.position(); ) {
          at = view.parse(out, at, out.position());
          String key = OneSegment.text(view.key(out));
          assertThat(key).startsWith("steady");
          checkWhole(key, view.value(out));
        }
      }
      assertThat(chosen).isEqualTo(STEADY_KEYS);
      scans++;
    }
    return scans;
  }

  private static void write(SegmentStore store, int valueBytes) {
    Random random = new Random(5);
    Replica replica = store.replica(0);
    int mutations = Math.min(MUTATIONS, 100_000_000 / valueBytes);
    for (int i = 0; i < mutations; i++) {
      String passing = "passing" + random.nextInt(PASSING_KEYS);
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> put(store, passing, random.nextInt(valueBytes), i);
        case 3, 4 -> replica.remove(position(store, passing), OneSegment.bytes(passing));
        case 5 -> replica.maintain();
        default -> put(store, "steady" + random.nextInt(STEADY_KEYS), valueBytes, i);
      }
      if (i % 20_000 == 0) {
        replica.compact();
      }
    }
  }

  private static int scan(Replica replica, AtomicBoolean writing, int maxBytes) {
    ByteBuffer out = ByteBuffer.allocateDirect(maxBytes);
    SegmentReader reader = new SegmentReader();
    EntryView view = new EntryView();
    int scans = 0;
    while (writing.get() || scans == 0) {
      Set<String> seen = new HashSet<>();
      Cursor cursor = Cursor.START;
      ReadStatus status = ReadStatus.MORE;
      while (status == ReadStatus.MORE) {
        out.clear();
        status = reader.read(replica, cursor, 100_000, maxBytes, Projection.ENTRIES, out);
        cursor = reader.next();
        for (int at = 0; at < out.position(); ) {
          at = view.parse(out, at, out.position());
          String key = OneSegment.text(view.key(out));
          assertThat(seen.add(key)).as("%s comes once", key).isTrue();
          checkWhole(key, view.value(out));
        }
      }
      assertThat(status).isEqualTo(ReadStatus.DONE);
      Set<String> missing = new HashSet<>();
      IntStream.range(0, STEADY_KEYS).forEach(i -> missing.add("steady" + i));
      missing.removeAll(seen);
      assertThat(missing).isEmpty();
      scans++;
    }
    return scans;
  }

  private static int lookUp(SegmentStore store, AtomicBoolean writing) {
    Random random = new Random(6);
    int found = 0;
    while (writing.get() || found == 0) {
      String key = "steady" + random.nextInt(STEADY_KEYS);
      byte[] value = store.replica(0).value(position(store, key), OneSegment.bytes(key));
      assertThat(value).as("the value of %s", key).isNotNull();
      checkWhole(key, value);
      String passing = "passing" + random.nextInt(PASSING_KEYS);
      StoredEntry entry =
          store.replica(0).find(position(store, passing), OneSegment.bytes(passing));
      if (entry != null) {
        checkWhole(passing, entry.value());
        assertThat(entry.value()[0]).isEqualTo((byte) entry.counter());
      }
      found++;
    }
    return found;
  }

  private static void put(SegmentStore store, String key, int fillBytes, int counter) {
    byte[] name = OneSegment.bytes(key);
    byte[] value = new byte[fillBytes + 1 + name.length];
    Arrays.fill(value, (byte) counter);
    System.arraycopy(name, 0, value, fillBytes + 1, name.length);
    store.replica(0).put(position(store, key), name, value, 1, counter, 0);
  }

  private static void checkWhole(String key, byte[] value) {
    int fill = value.length - key.length();
    for (int i = 1; i < fill; i++) {
      if (value[i] != value[0]) {
        throw new AssertionError("the value of " + key + " is torn at byte " + i);
      }
    }
    if (!OneSegment.text(value).endsWith(key)) {
      throw new AssertionError("the value of " + key + " belongs to another key");
    }
  }

  private static long position(SegmentStore store, String key) {
    return store.space().position(store.space().hash(OneSegment.bytes(key)));
  }
}
