package dev.headrace.benchmarks.harness;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A fresh JVM that measures, driven by the comparison through its standard input and output.
 *
 * <p>Every fork has the same heap, {@value #HEAP}, and the JVM's default collector, G1. Its
 * standard error goes to a log file. The fork ends when this object is closed, or with the
 * comparison: if that is killed without a chance to end it, after the present command, because its
 * standard input has ended then. Not thread safe.
 */
public final class Fork implements AutoCloseable {

  /** The fixed heap of every fork. */
  public static final String HEAP = "4g";

  /** Nodes bind addresses of IPv4. */
  static final String IPV4 = "-Djava.net.preferIPv4Stack=true";

  /** Lets a system that needs packages of the JDK opened do so, see {@code ModuleOpener}. */
  static final String ATTACH = "-Djdk.attach.allowAttachSelf=true";

  /** The collector of all of JMH's forks: on one core the JDK would choose another. */
  static final String COLLECTOR = "-XX:+UseG1GC";

  /** A system for which the heap is too small has no figure; some would hang instead of ending. */
  static final String OUT_OF_MEMORY = "-XX:+ExitOnOutOfMemoryError";

  /** What a fork ends with that ran out of memory, or out of the time that it had for loading. */
  public static final int NO_ROOM = 3;

  /** No single command may take longer; a fork that hangs is killed and reported. */
  private static final long COMMAND_LIMIT_SECONDS = 1_200;

  private static final long EXIT_LIMIT_SECONDS = 20;

  private final String name;
  private final Path log;
  private final Process process;
  private final BufferedReader replies;
  private final BufferedWriter commands;

  private Fork(String name, Path log, Process process) {
    this.name = name;
    this.log = log;
    this.process = process;
    this.replies = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    this.commands = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), UTF_8));
  }

  /**
   * Starts a JVM on this process's class path.
   *
   * @param name names the fork in messages and its log file
   * @param mainClass a class whose {@code main} calls {@link Worker#serve}
   * @param jvmArguments arguments beside the heap
   * @param arguments the program's arguments
   */
  public static Fork start(
      String name, Class<?> mainClass, List<String> jvmArguments, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xms" + HEAP, "-Xmx" + HEAP));
    command.addAll(List.of(IPV4, ATTACH));
    command.addAll(jvmArguments);
    String classPath = System.getProperty("java.class.path");
    command.addAll(List.of("-cp", classPath, mainClass.getName()));
    command.addAll(arguments);
    try {
      Path folder = Files.createDirectories(Path.of("benchmarks", "target", "logs"));
      Path log = folder.resolve(name + ".txt");
      Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
      // Nothing that was started outlives a comparison that is interrupted in the middle.
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "end-" + name));
      return new Fork(name, log, process);
    } catch (IOException e) {
      throw new UncheckedIOException("The fork \"" + name + "\" could not be started", e);
    }
  }

  /** Sends a command and waits for its reply. */
  public HarnessMessage ask(HarnessMessage command) {
    send(command);
    return reply();
  }

  /** Sends a command without waiting; {@link #reply} must follow. */
  public void send(HarnessMessage command) {
    try {
      commands.write(command.encode());
      commands.newLine();
      commands.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(dead(command.verb()), e);
    }
  }

  /**
   * Waits for the reply to the last command sent.
   *
   * @throws IllegalStateException if the command failed, or if the fork died
   */
  public HarnessMessage reply() {
    CountDownLatch answered = new CountDownLatch(1);
    Thread guard = new Thread(() -> killUnless(answered), "guard-" + name);
    guard.setDaemon(true);
    guard.start();
    try {
      String line = replies.readLine();
      if (line == null) {
        throw new IllegalStateException(dead("a command"));
      }
      HarnessMessage reply = HarnessMessage.decode(line);
      if (reply.verb().equals(Worker.FAILED)) {
        throw new IllegalStateException(
            "The fork \"" + name + "\" failed: " + reply.text("cause") + "; see " + log);
      }
      return reply;
    } catch (IOException e) {
      throw new UncheckedIOException(dead("a command"), e);
    } finally {
      answered.countDown();
    }
  }

  private void killUnless(CountDownLatch answered) {
    try {
      if (!answered.await(COMMAND_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // this process ends, and the fork with it
    }
  }

  private String dead(String doing) {
    return "The fork \"" + name + "\" ended during " + doing + "; its last words are in " + log;
  }

  @Override
  public void close() {
    try {
      commands.close(); // the end of its input tells the fork to exit
    } catch (IOException e) {
      process.destroy();
    }
    try {
      if (!process.waitFor(EXIT_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
