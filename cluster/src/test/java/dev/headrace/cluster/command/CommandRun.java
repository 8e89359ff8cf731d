package dev.headrace.cluster.command;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Runs the command line in this process, with a terminal made of strings. */
final class CommandRun {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final List<Runnable> interrupts = new CopyOnWriteArrayList<>();
  private String input = "";

  CommandRun input(String text) {
    input = text;
    return this;
  }

  /** Runs a command to its end and returns the exit code. */
  int run(String... args) {
    return Main.run(
        new Terminal(
            new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            action -> {
              interrupts.add(action);
              return () -> interrupts.remove(action);
            }),
        args);
  }

  /** Does what ctrl-C does. */
  void interrupt() {
    interrupts.forEach(Runnable::run);
  }

  boolean canBeInterrupted() {
    return !interrupts.isEmpty();
  }

  String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  String err() {
    return err.toString(StandardCharsets.UTF_8);
  }
}
