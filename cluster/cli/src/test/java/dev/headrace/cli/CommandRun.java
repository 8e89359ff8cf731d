package dev.headrace.cli;

import dev.headrace.cli.terminal.StandardOutput;
import dev.headrace.cli.terminal.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Runs the command line in this process, with a terminal made of strings. */
final class CommandRun {
  private final Watched out = new Watched();
  private final Watched err = new Watched();
  private final List<Runnable> interrupts = new CopyOnWriteArrayList<>();
  private final Map<String, String> environment = new HashMap<>();
  private String input = "";

  /** An output that wakes those who wait for a text, and can be held up. Guarded by its monitor. */
  private static final class Watched extends OutputStream {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private @Nullable Runnable pause;
    private @Nullable String failure;

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      Runnable before;
      synchronized (this) {
        if (failure != null) {
          throw new IOException(failure);
        }
        written.write(bytes, offset, length);
        notifyAll();
        before = pause;
        pause = null;
      }
      if (before != null) {
        before.run();
      }
    }

    private synchronized void await(String text) throws InterruptedException {
      while (!text().contains(text)) {
        wait();
      }
    }

    private synchronized String text() {
      return written.toString(StandardCharsets.UTF_8);
    }
  }

  /** Sets an environment variable for the command. */
  CommandRun with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  CommandRun input(String text) {
    input = text;
    return this;
  }

  /** Runs something when the first output was written, before the writer goes on. */
  void beforeFirstOutputEnds(Runnable action) {
    synchronized (out) {
      out.pause = action;
    }
  }

  /** Lets the output fail from now on. */
  void failOutput(String message) {
    synchronized (out) {
      out.failure = message;
    }
  }

  /** Runs a command to its end and returns the exit code. */
  int run(String... args) {
    return Main.run(
        new Terminal(
            new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
            new StandardOutput(out),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            action -> {
              interrupts.add(action);
              return () -> interrupts.remove(action);
            }),
        environment::get,
        args);
  }

  /** Does what ctrl-C does. */
  void interrupt() {
    interrupts.forEach(Runnable::run);
  }

  void awaitOutput(String text) throws InterruptedException {
    out.await(text);
  }

  String out() {
    return out.text();
  }

  String err() {
    return err.text();
  }
}
