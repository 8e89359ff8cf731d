package dev.headrace.benchmarks.store;

import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.ReplicaState;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import java.util.Arrays;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A look-up races an update that overwrites its entry in place, and then a remove: it sees one of
 * the values as a whole, or none, and never goes back.
 *
 * <p>Run with {@code java -cp benchmarks/target/benchmarks.jar org.openjdk.jcstress.Main -t
 * dev.headrace.benchmarks.store -m quick}.
 */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "before the update")
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "the update between the look-ups")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "both between the look-ups")
@Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "after the update")
@Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "the remove between the look-ups")
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "after the remove")
@Outcome(expect = Expect.FORBIDDEN, desc = "a torn value, or a step back")
@State
public class LookUpRace {

  private static final int VALUE_BYTES = 150;
  private static final int TORN = -1;
  private static final HashSpace SPACE = new HashSpace(1, 42);
  private static final byte[] KEY = {'k', 'e', 'y'};
  private static final byte[] OTHER_KEY = {'o', 't', 'h', 'e', 'r'};
  private static final long POSITION = SPACE.position(SPACE.hash(KEY));

  private final Replica replica;

  /** One entry that is raced for, and another so that the segment does not become empty. */
  public LookUpRace() {
    SegmentStore store = new SegmentStore(SPACE, () -> 0, StoreLimits.DEFAULT);
    replica = store.open(0, 0, ReplicaState.OWNER);
    replica.put(POSITION, KEY, filled(1), 1, 1, 0);
    replica.put(SPACE.position(SPACE.hash(OTHER_KEY)), OTHER_KEY, filled(9), 1, 2, 0);
  }

  private static byte[] filled(int value) {
    byte[] bytes = new byte[VALUE_BYTES];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  /** Updates, then removes. */
  @Actor
  public void writer() {
    replica.put(POSITION, KEY, filled(2), 1, 3, 0);
    replica.remove(POSITION, KEY);
  }

  /** Looks twice. */
  @Actor
  public void reader(II_Result result) {
    result.r1 = lookUp();
    result.r2 = lookUp();
  }

  private int lookUp() {
    byte[] value = replica.value(POSITION, KEY);
    if (value == null) {
      return 0;
    }
    return value.length == VALUE_BYTES && Arrays.equals(value, filled(value[0])) ? value[0] : TORN;
  }
}
