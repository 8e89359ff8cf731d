package dev.headrace.cluster.process;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A child process with a node. Used by one thread; its violations come on another. */
public final class Child implements AutoCloseable {
  /** The class path of this process. */
  static final String CLASS_PATH = System.getProperty("java.class.path");

  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(90);
  private static final Duration END_LIMIT = Duration.ofSeconds(60);
  private static final List<String> JAVA_OPTIONS =
      List.of(
          "-Xmx256m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1", // they start often and live shortly
          "-XX:+ExitOnOutOfMemoryError",
          "-XX:+DisplayVMOutputToStderr", // thread dumps go to the log
          "-Djava.net.preferIPv4Stack=true",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "-Djava.util.logging.SimpleFormatter.format=%1$tT.%1$tL %4$s %3$s: %5$s%6$s%n");

  private final String name;
  private final Process process;
  private final BufferedWriter commands;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  private Child(String name, Process process, Consumer<String> violations) {
    this.name = name;
    this.process = process;
    this.commands =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    Thread listener = new Thread(() -> listen(violations), "child-" + name);
    listener.setDaemon(true);
    listener.start();
  }

  /**
   * Starts a process; {@link #awaitJoined} tells when its node has joined.
   *
   * @param where what comes before the command, to run it somewhere else
   * @param classPath that of the process
   * @param log takes its standard error
   * @param arguments those of {@link NodeMain} after the name
   * @param violations is told what it finds, from another thread
   */
  static Child start(
      String name,
      List<String> where,
      String classPath,
      Path log,
      List<String> arguments,
      Consumer<String> violations) {
    return start(NodeMain.class, name, where, classPath, log, arguments, violations);
  }

  /**
   * Starts a process.
   *
   * @param main its main class, which answers commands as {@link NodeMain} does
   * @param log takes its standard error
   * @param arguments those of the main class after the name
   * @param violations is told what it finds, from another thread
   */
  public static Child start(
      Class<?> main, String name, Path log, List<String> arguments, Consumer<String> violations) {
    return start(main, name, List.of(), CLASS_PATH, log, arguments, violations);
  }

  private static Child start(
      Class<?> main,
      String name,
      List<String> where,
      String classPath,
      Path log,
      List<String> arguments,
      Consumer<String> violations) {
    List<String> command = new ArrayList<>(where);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JAVA_OPTIONS);
    command.add("-cp");
    command.add(classPath);
    command.add(main.getName());
    command.add(name);
    command.addAll(arguments);
    File standardError = log.toFile();
    try {
      return new Child(
          name, new ProcessBuilder(command).redirectError(standardError).start(), violations);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void listen(Consumer<String> violations) {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("! ")) {
          violations.accept(name + ": " + line.substring(2));
        } else {
          answers.add(line);
        }
      }
    } catch (IOException e) {
      answers.add("failed its output broke off: " + e);
    }
    answers.add("failed the process has ended");
  }

  public String name() {
    return name;
  }

  public void awaitJoined() throws InterruptedException {
    expectDone(answer("to join"));
  }

  /** Has a command carried out, which must succeed, and returns the answer. */
  public String ask(String command) throws InterruptedException {
    return expectDone(answerTo(command));
  }

  /** The answer to a command, as {@link NodeMain} gives it. */
  public String answerTo(String command) throws InterruptedException {
    tell(command);
    return answer("to " + command);
  }

  private void tell(String command) {
    try {
      commands.write(command);
      commands.newLine();
      commands.flush();
    } catch (IOException e) {
      throw new AssertionError("Process " + name + " takes no command: " + command, e);
    }
  }

  private String answer(String what) throws InterruptedException {
    String answer = answers.poll(ANSWER_LIMIT.toSeconds(), TimeUnit.SECONDS);
    if (answer == null) {
      throw new AssertionError(
          "Process " + name + " took longer than " + ANSWER_LIMIT + " " + what);
    }
    return answer;
  }

  private String expectDone(String answer) {
    if (!answer.startsWith("= ")) {
      throw new AssertionError("Process " + name + " " + answer);
    }
    return answer.substring(2);
  }

  /** Has its node leave in order, and waits for the end of the process. */
  public void leave() throws InterruptedException {
    tell("leave");
    if (!process.waitFor(END_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      signal("QUIT"); // its log tells by its threads what it waits for
      throw new AssertionError("Process " + name + " did not end within " + END_LIMIT);
    }
    if (process.exitValue() != 0) {
      throw new AssertionError("Process " + name + " ended with code " + process.exitValue());
    }
  }

  /** SIGTERM; waits for the end of the process. */
  public void terminate() throws InterruptedException {
    signal("TERM"); // destroy() would close its standard input, too
    if (!process.waitFor(END_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      signal("QUIT"); // its log tells by its threads what it waits for
      throw new AssertionError("Process " + name + " did not end within " + END_LIMIT);
    }
  }

  /** SIGKILL. */
  public void kill() {
    process.destroyForcibly();
  }

  /** SIGSTOP. */
  public void pause() throws InterruptedException {
    signal("STOP");
  }

  /** SIGCONT. */
  public void resume() throws InterruptedException {
    signal("CONT");
  }

  private void signal(String signal) throws InterruptedException {
    try {
      // The shell has a kill of its own; the program of this name is not everywhere.
      int code =
          new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid()).start().waitFor();
      if (code != 0) {
        throw new AssertionError("Process " + name + " did not get SIG" + signal);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills the process if it still runs, and waits for its end. */
  @Override
  public void close() {
    kill();
    process.onExit().join();
  }
}
