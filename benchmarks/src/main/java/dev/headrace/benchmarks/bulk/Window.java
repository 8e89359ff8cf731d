package dev.headrace.benchmarks.bulk;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * What calls cost in some time of measurement.
 *
 * @param microsPerCall the mean time of a call
 * @param bytesPerCall what all threads of the JVM allocated, those of all nodes included
 */
record Window(double microsPerCall, double bytesPerCall) {

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Calls again and again for so long. */
  static Window measure(long nanos, Runnable call) {
    long bytesBefore = allocatedBytes();
    long begin = System.nanoTime();
    long now;
    int calls = 0;
    do {
      call.run();
      calls++;
      now = System.nanoTime();
    } while (now - begin < nanos);
    double bytes = allocatedBytes() - bytesBefore;
    return new Window((now - begin) / 1e3 / calls, bytes / calls);
  }

  private static long allocatedBytes() {
    long sum = 0;
    for (long bytes : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
      sum += Math.max(0, bytes);
    }
    return sum;
  }
}
