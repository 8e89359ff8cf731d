package dev.headrace.cluster.process;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One who reads, or writes, one key after the other, of all segments, to see when that does not go
 * on; and who judges what it gets. Used by one thread at a time.
 */
final class Prober {
  private static final int READERS = 8;
  private static final int WRITERS = 8;
  private static final int KEYS = 512;

  private final Cache<String, Long> probes;
  private final Cache<String, String> content;
  private final Probed.OperationClient caller;
  private final Findings findings;
  private final String name;
  private final long[] acknowledged = new long[KEYS];
  private final long[] begun = new long[KEYS];
  private int turns;

  private Prober(Headrace node, Probed.OperationClient caller, Findings findings, int number) {
    this.probes = node.cache("probes", String.class, Long.class);
    this.content = node.cache("content", String.class, String.class);
    this.caller = caller;
    this.findings = findings;
    this.name = node.settings().nodeName() + "-" + number;
  }

  /** Lets some read. */
  static void read(Headrace node, Shifts shifts, Probed reads, Findings findings) {
    for (int i = 0; i < READERS; i++) {
      shifts.probing(new Prober(node, reads.caller(), findings, i)::read);
    }
  }

  /** Lets some write. */
  static void write(Headrace node, Shifts shifts, Probed writes, Findings findings) {
    for (int i = 0; i < WRITERS; i++) {
      shifts.probing(new Prober(node, writes.caller(), findings, i)::write);
    }
  }

  private void read() {
    int number = ThreadLocalRandom.current().nextInt(Content.LOADED);
    var unused =
        caller.attempt(
            () -> {
              String found = content.get(Content.loadedKey(number));
              boolean right = Content.loadedValue(number).equals(found);
              findings.object(right ? null : Content.loadedKey(number) + " is " + found);
            });
  }

  private void write() {
    int key = turns++ % KEYS;
    long least = acknowledged[key];
    long most = begun[key];
    long version = ++begun[key];
    boolean done =
        caller.attempt(
            () -> {
              Long before = probes.getAndPut(name + "-" + key, version);
              long was = before == null ? 0 : before;
              findings.object(
                  was >= least && was <= most
                      ? null
                      : "%s-%d was %d, but should have been between %d and %d"
                          .formatted(name, key, was, least, most));
            });
    if (done) {
      acknowledged[key] = version;
    }
  }
}
