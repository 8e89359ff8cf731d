package dev.headrace.benchmarks.peer.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.headrace.benchmarks.harness.BuildFolder;
import dev.headrace.benchmarks.peer.LoopbackPorts;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Servers of Redis in processes of their own, on free loopback ports.
 *
 * <p>They write nothing to disk. They end when this object is closed, and with this process.
 */
public final class RedisServers implements AutoCloseable {

  private static final String PROGRAM = "redis-server";
  private static final long EXIT_LIMIT_SECONDS = 5;

  /** A node of a cluster also listens this far above its port, unless it is told where. */
  private static final int BUS_OFFSET = 10_000;

  private final int[] ports;
  private final List<Process> processes = new ArrayList<>();

  /** Starts so many servers; more than one make ready for a cluster. */
  RedisServers(int count) {
    int first = 12_000 + (int) (ProcessHandle.current().pid() % 500) * 8;
    ports = LoopbackPorts.freePairs(count, BUS_OFFSET, first);
    Runtime.getRuntime().addShutdownHook(new Thread(this::kill, "end-redis"));
    for (int port : ports) {
      processes.add(start(port, count > 1));
    }
  }

  /** Why there is no Redis here, and how to get it; empty if there is. */
  public static Optional<String> missing() {
    boolean found =
        Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, PROGRAM)));
    return found
        ? Optional.empty()
        : Optional.of(
            "there is no " + PROGRAM + " on the PATH; on Debian: apt-get install " + PROGRAM);
  }

  /** The version of the program, as it tells it. */
  public static String version() {
    try {
      Process process = new ProcessBuilder(PROGRAM, "--version").start();
      String told = new String(process.getInputStream().readAllBytes(), US_ASCII);
      Matcher version = Pattern.compile("v=(\\S+)").matcher(told);
      return version.find() ? version.group(1) : told.strip();
    } catch (IOException e) {
      throw new UncheckedIOException("Redis could not be asked for its version", e);
    }
  }

  private static Process start(int port, boolean cluster) {
    Path folder = BuildFolder.folder("redis");
    List<String> command = new ArrayList<>(List.of(PROGRAM, "--bind", "127.0.0.1"));
    command.addAll(List.of("--port", Integer.toString(port), "--save", "", "--appendonly", "no"));
    command.addAll(List.of("--dir", folder.toAbsolutePath().toString()));
    if (cluster) {
      String nodes = "nodes-" + port + ".conf";
      command.addAll(List.of("--cluster-enabled", "yes", "--cluster-config-file", nodes));
      command.addAll(List.of("--cluster-port", Integer.toString(port + BUS_OFFSET)));
    }
    try {
      Files.deleteIfExists(folder.resolve("nodes-" + port + ".conf"));
      File log = folder.resolve("log-" + port + ".txt").toFile();
      return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
    } catch (IOException e) {
      throw new UncheckedIOException("Redis could not be started: " + command, e);
    }
  }

  /** The ports that they listen on. */
  int[] ports() {
    return ports.clone();
  }

  private void kill() {
    processes.forEach(Process::destroyForcibly);
  }

  @Override
  public void close() {
    kill();
    try {
      for (Process process : processes) {
        process.waitFor(EXIT_LIMIT_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
