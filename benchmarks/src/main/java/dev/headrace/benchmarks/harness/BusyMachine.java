package dev.headrace.benchmarks.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;

/**
 * A machine on which another process uses all cores as well: one thread on each, which computes and
 * never waits. It ends when this object is closed, or when the process that made it ends.
 */
public final class BusyMachine implements AutoCloseable {

  private final Process process;

  /** Starts the other process. */
  public BusyMachine() {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx32m",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            BusyMachine.class.getName());
    try {
      process =
          new ProcessBuilder(command)
              .redirectOutput(Redirect.DISCARD)
              .redirectError(Redirect.INHERIT)
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException("No process could be started that uses the cores", e);
    }
  }

  /** The other process: computes until its input ends. */
  public static void main(String[] arguments) throws IOException {
    for (int core = 0; core < Runtime.getRuntime().availableProcessors(); core++) {
      Thread turning = new Thread(BusyMachine::compute, "core-" + core);
      turning.setDaemon(true);
      turning.start();
    }
    while (System.in.read() >= 0) {
      // Nothing is said; what counts is the end.
    }
  }

  private static void compute() {
    long state = 1;
    while (state != 0) { // it stays odd
      state = state * 6364136223846793005L + 1442695040888963407L | 1;
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // it ends all the same
    }
  }
}
