package dev.headrace.benchmarks.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Tells which locks the threads of a fork have waited for while it was measured: JDK Flight
 * Recorder notes every wait for a monitor, and every park for a lock of {@code
 * java.util.concurrent}, of 10 µs or more. By hand: {@code -prof
 * dev.headrace.benchmarks.harness.ContendedMonitors}.
 */
public final class ContendedMonitors implements InternalProfiler {
  private static final Duration THRESHOLD = Duration.ofNanos(10_000);
  private static final String MONITOR = "jdk.JavaMonitorEnter";
  private static final String PARK = "jdk.ThreadPark";

  /** Parks of threads that wait for a lock, and not for work, are for an object of such a class. */
  private static final List<String> LOCKS = List.of("ReentrantLock$", "ReentrantReadWriteLock$");

  private @Nullable Recording recording;
  private Instant began = Instant.MIN;

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    Recording begun = new Recording();
    begun.enable(MONITOR).withThreshold(THRESHOLD).withStackTrace();
    begun.enable(PARK).withThreshold(THRESHOLD).withStackTrace();
    begun.start();
    recording = begun;
    began = Instant.now();
  }

  @Override
  @SuppressWarnings("rawtypes") // JMH's own signature
  public Collection<? extends Result> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    // The last iteration ends only when the benchmark has been torn down.
    Instant end = began.plusMillis(iteration.getTime().convertTo(TimeUnit.MILLISECONDS));
    Map<String, Waits> waits = new TreeMap<>();
    try (Recording over = recording) {
      if (over != null) {
        over.stop();
        Path file = Files.createTempFile("contended-monitors", ".jfr");
        over.dump(file);
        RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getStartTime().isBefore(end))
            .forEach(event -> count(event, waits));
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The recording could not be read", e);
    }
    long all = 0;
    List<ScalarResult> results = new ArrayList<>();
    for (Map.Entry<String, Waits> each : waits.entrySet()) {
      all += each.getValue().count;
      results.add(scalar("waits for " + each.getKey(), (double) each.getValue().count, "waits"));
      results.add(scalar("time for " + each.getKey(), each.getValue().nanos / 1e6, "ms"));
    }
    results.add(scalar("waits for locks", (double) all, "waits"));
    return results;
  }

  private static ScalarResult scalar(String label, double value, String unit) {
    return new ScalarResult(label, value, unit, AggregationPolicy.SUM);
  }

  private static void count(RecordedEvent event, Map<String, Waits> waits) {
    boolean monitor = event.getEventType().getName().equals(MONITOR);
    RecordedClass of = event.getClass(monitor ? "monitorClass" : "parkedClass");
    if (of == null || (!monitor && LOCKS.stream().noneMatch(of.getName()::contains))) {
      return;
    }
    Waits present = waits.computeIfAbsent(of.getName() + " in " + place(event), w -> new Waits());
    present.count++;
    present.nanos += event.getDuration().toNanos();
  }

  /** The first method of the stack that is no lock's own. */
  private static String place(RecordedEvent event) {
    RecordedStackTrace stack = event.getStackTrace();
    for (RecordedFrame frame : stack == null ? List.<RecordedFrame>of() : stack.getFrames()) {
      String type = frame.getMethod().getType().getName();
      if (!type.startsWith("java.util.concurrent.locks.") && !type.startsWith("jdk.internal.")) {
        return type.substring(type.lastIndexOf('.') + 1) + "." + frame.getMethod().getName();
      }
    }
    return "an unknown method";
  }

  @Override
  public String getDescription() {
    return "Tells which locks threads have waited for, by JDK Flight Recorder";
  }

  private static final class Waits {
    private long count;
    private long nanos;
  }
}
