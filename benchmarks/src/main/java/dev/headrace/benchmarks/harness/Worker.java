package dev.headrace.benchmarks.harness;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The fork's side of the conversation: reads a command, runs it, writes its reply. */
public final class Worker {

  static final String FAILED = "failed";

  private static final Logger ROOT = Logger.getLogger("");

  private Worker() {}

  /** Something that a fork can do. */
  public interface Command {
    /** Runs the command and returns its results. */
    HarnessMessage run(HarnessMessage arguments) throws Exception;
  }

  /**
   * Serves commands until the standard input ends.
   *
   * <p>Whatever a library prints goes to standard error, and only warnings are logged.
   *
   * @param commands the known commands by verb
   */
  public static void serve(Map<String, Command> commands) throws IOException {
    PrintStream replies = System.out;
    System.setOut(System.err);
    ROOT.setLevel(Level.WARNING);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      replies.println(run(commands, HarnessMessage.decode(line)).encode());
      replies.flush();
    }
  }

  private static HarnessMessage run(Map<String, Command> commands, HarnessMessage message) {
    Command command = commands.get(message.verb());
    if (command == null) {
      return HarnessMessage.of(FAILED).with("cause", "unknown command " + message.verb());
    }
    try {
      return command.run(message);
    } catch (Exception | Error e) { // the comparison reports it; the stack is in the log
      ROOT.log(Level.SEVERE, "The command " + message + " failed", e);
      return HarnessMessage.of(FAILED).with("cause", message + ": " + e);
    }
  }
}
