package dev.headrace.cluster.process;

import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.error.UnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What the callers of one kind in a process have met since somebody asked last. Thread-safe. */
final class Probed {
  /** What takes longer has met trouble. */
  static final long SLOW_MILLIS = 500;

  private final List<OperationClient> callers = new ArrayList<>(); // guarded by this

  /** One who does one operation at a time. All guarded by the monitor of the whole. */
  final class OperationClient {
    private long operations;
    private long failures;
    private long slowestMillis;
    private long troubledMillis;
    private long servedMillis;

    /** Runs an operation; returns whether it has succeeded. */
    boolean attempt(Runnable operation) {
      long began = System.nanoTime();
      boolean succeeded = false;
      try {
        operation.run();
        succeeded = true;
      } catch (UnavailableException | OutcomeUnknownException e) {
        // counted below
      }
      note(succeeded, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
      return succeeded;
    }

    private void note(boolean succeeded, long millis) {
      synchronized (Probed.this) {
        operations++;
        failures += succeeded ? 0 : 1;
        slowestMillis = Math.max(slowestMillis, millis);
        if (succeeded) {
          servedMillis = System.currentTimeMillis();
        }
        if (!succeeded || millis > SLOW_MILLIS) {
          troubledMillis = System.currentTimeMillis();
        }
      }
    }

    private Outage take() {
      Outage outage =
          new Outage(operations, failures, failures, slowestMillis, troubledMillis, servedMillis);
      operations = 0;
      failures = 0;
      slowestMillis = 0;
      troubledMillis = 0;
      servedMillis = 0;
      return outage;
    }
  }

  /** Makes one more caller. */
  synchronized OperationClient caller() {
    OperationClient caller = new OperationClient();
    callers.add(caller);
    return caller;
  }

  /** What all of them have met since the last time. */
  synchronized Outage take() {
    return callers.stream().map(OperationClient::take).reduce(Outage.NONE, Outage::and);
  }
}
