package dev.headrace.benchmarks.store;

import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryView;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.store.ReadStatus;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.ReplicaState;
import dev.headrace.stream.store.SegmentReader;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A scan in batches of two races writes that shift slots, make the table grow and compact it: it
 * brings each of the six steady keys once, and the passing key at most once.
 */
@JCStressTest
@Outcome(id = "6, 0", expect = Expect.ACCEPTABLE, desc = "without the passing key")
@Outcome(id = "6, 1", expect = Expect.ACCEPTABLE, desc = "with the passing key")
@Outcome(expect = Expect.FORBIDDEN, desc = "a key missing, doubled or damaged")
@State
public class ScanRace {

  private static final int STEADY_KEYS = 6;
  private static final byte PASSING = 100;
  private static final HashSpace SPACE = new HashSpace(1, 42);

  private final Replica replica;
  private final SegmentReader reader = new SegmentReader();
  private final EntryView view = new EntryView();
  private final ByteBuffer out = ByteBuffer.allocate(1024);

  /** Six keys, so that the seventh makes the table grow. */
  public ScanRace() {
    SegmentStore store = new SegmentStore(SPACE, () -> 0, StoreLimits.DEFAULT);
    replica = store.open(0, 0, ReplicaState.OWNER);
    for (int i = 0; i < STEADY_KEYS; i++) {
      put((byte) i, i);
    }
  }

  private void put(byte name, long counter) {
    byte[] key = {name, 'k'};
    replica.put(SPACE.position(SPACE.hash(key)), key, new byte[] {name, 'v'}, 1, counter, 0);
  }

  /** Adds the passing key, which makes the table grow, removes it, and compacts. */
  @Actor
  public void writer() {
    put(PASSING, 7);
    byte[] key = {PASSING, 'k'};
    replica.remove(SPACE.position(SPACE.hash(key)), key);
    replica.compact();
  }

  /** Counts the keys; a damaged entry counts a thousand. */
  @Actor
  public void reader(II_Result result) {
    Cursor cursor = Cursor.START;
    ReadStatus status = ReadStatus.MORE;
    while (status == ReadStatus.MORE) {
      out.clear();
      status = reader.read(replica, cursor, 2, out.capacity(), Projection.ENTRIES, out);
      cursor = reader.next();
      for (int at = 0; at < out.position(); ) {
        at = view.parse(out, at, out.position());
        count(result);
      }
    }
  }

  private void count(II_Result result) {
    byte name = out.get(view.keyOffset());
    if (view.keyLength() != 2 || view.valueLength() != 2 || out.get(view.valueOffset()) != name) {
      result.r1 += 1000;
    } else if (name == PASSING) {
      result.r2++;
    } else {
      result.r1++;
    }
  }
}
