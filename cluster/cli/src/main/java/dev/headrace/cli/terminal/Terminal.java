package dev.headrace.cli.terminal;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a command reads from and writes to.
 *
 * @param in standard input
 * @param output standard output, for results
 * @param err standard error, for progress and errors
 * @param redraws whether standard error is a screen on which lines may be drawn over
 * @param interrupts tells of ctrl-C
 */
public record Terminal(
    InputStream in,
    StandardOutput output,
    PrintStream err,
    boolean redraws,
    Interrupts interrupts) {

  /** The process's own. */
  public static Terminal system() {
    return new Terminal(
        System.in,
        new StandardOutput(new FileOutputStream(FileDescriptor.out)),
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
        errorIsScreen(),
        Interrupts.ofProcess());
  }

  /** Standard output, for lines. Whoever writes many asks now and then for what has failed. */
  public PrintStream out() {
    return output.lines();
  }

  /** Tells of ctrl-C and of the signal to end. */
  public interface Interrupts {

    /**
     * Runs an action when the process is asked to end; the process ends when the action returns.
     *
     * @return closed to forget the action
     */
    Registration onInterrupt(Runnable action);

    /** A registered action. */
    interface Registration extends AutoCloseable {
      @Override
      void close();
    }

    /** The process's shutdown. */
    static Interrupts ofProcess() {
      return action -> {
        Thread hook = new Thread(action, "headrace-interrupted");
        Runtime.getRuntime().addShutdownHook(hook);
        return () -> forget(hook);
      };
    }

    private static void forget(Thread hook) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // The process is ending already, so the action is running or has run.
        return;
      }
    }
  }

  /** Linux tells what standard error is; elsewhere it is taken for a file. */
  private static boolean errorIsScreen() {
    if ("dumb".equals(System.getenv("TERM"))) {
      return false;
    }
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }
}
