package dev.headrace.cluster.wire;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Whether other processes want the machine's processors, so that this one must not poll.
 *
 * <p>A thread that polls yields between two polls. Beside threads of its own process that is cheap:
 * they work for some microseconds and wait again. A process that computes keeps the core for a
 * whole slice of some milliseconds, while the reply has long been there; a thread that sleeps is
 * woken by it at once. So nobody polls as long as the processors are fully used and others have a
 * part in that. Both are asked of the JDK, which knows a container's limits, every 200 ms. Where it
 * cannot tell, nobody is taken to be there.
 *
 * <p>One for all nodes of a process, because the JDK counts from one question to the next, whoever
 * asks. Safe for use by many threads.
 */
public final class CpuContention {
  /** The contention that this process meets. */
  public static final CpuContention OF_THIS_PROCESS = ofThisProcess();

  private static final long PERIOD_NANOS = 200_000_000;

  /** Processors count as fully used from this share on; while nobody polls, from a lower one. */
  private static final double FULL = 0.85;

  private static final double FULL_WITHOUT_POLLING = 0.5;

  /** The share of all processors from which on others count. */
  private static final double OTHERS = 0.1;

  private final DoubleSupplier machineLoad;
  private final DoubleSupplier processLoad;

  /** When to look next; whoever changes it looks. */
  private final AtomicLong nextNanos;

  private volatile boolean present;

  /** What others used lately; only who looks reads and writes it, one after the other. */
  private volatile double others;

  /**
   * @param machineLoad the share of the processors that is in use since it was asked last, 0 to 1;
   *     negative or NaN if unknown
   * @param processLoad the share that this process uses
   * @param nowNanos the present time of the clock whose times {@link #look} gets
   */
  CpuContention(DoubleSupplier machineLoad, DoubleSupplier processLoad, long nowNanos) {
    this.machineLoad = machineLoad;
    this.processLoad = processLoad;
    this.nextNanos = new AtomicLong(nowNanos);
  }

  private static CpuContention ofThisProcess() {
    var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    if (system == null) {
      return new CpuContention(() -> -1, () -> -1, System.nanoTime());
    }
    return new CpuContention(system::getCpuLoad, system::getProcessCpuLoad, System.nanoTime());
  }

  /**
   * Looks whether others are there, if it is time. Called at least every 200 ms by each node; takes
   * some tens of microseconds at most once in this time.
   *
   * @param nowNanos the present {@link System#nanoTime}
   */
  public void look(long nowNanos) {
    long next = nextNanos.get();
    if (nowNanos - next < 0 || !nextNanos.compareAndSet(next, nowNanos + PERIOD_NANOS)) {
      return;
    }
    double all = machineLoad.getAsDouble();
    double own = processLoad.getAsDouble();
    if (!(all >= 0 && own >= 0)) {
      present = false;
      return;
    }
    others = (others + Math.max(0, all - own)) / 2;
    present = others > OTHERS && all > (present ? FULL_WITHOUT_POLLING : FULL);
  }

  /**
   * How long to poll at present: a node's setting, or 0 while other processes want the processors.
   */
  public LongSupplier allowing(long busyPollNanos) {
    return () -> present ? 0 : busyPollNanos;
  }
}
