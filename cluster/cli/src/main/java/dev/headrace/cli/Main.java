package dev.headrace.cli;

import dev.headrace.cli.cluster.EnvironmentDefaults;
import dev.headrace.cli.demo.DemoCommand;
import dev.headrace.cli.plan.PlanCommand;
import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.cli.terminal.FailureText;
import dev.headrace.cli.terminal.Terminal;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The command line's entrance: {@code headrace COMMAND}.
 *
 * <p>Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such key or cache, 130 stopped with ctrl-C,
 * 141 nobody reads the output, 143 stopped with SIGTERM.
 */
@Command(
    name = "headrace",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    version = "headrace 0.1.0",
    synopsisSubcommandLabel = "COMMAND",
    header = "A distributed in-memory cache that can be streamed at the pace of its consumer.",
    description = {
      "",
      "All commands but node, plan, demo and completion join the cluster as nodes that hold"
          + " nothing, and leave it when they are done.",
      ""
    },
    commandListHeading = "%nCommands:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed; standard error says why and what to do",
      "2:wrong usage; standard error says what is wrong",
      "3:there is no such key or cache",
      "130:stopped with ctrl-C; a node has left its cluster",
      "141:nobody reads the output pipe any more",
      "143:stopped with SIGTERM; a node has left its cluster"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headrace demo                           see it work, in one process",
      "  headrace node                           start a node, one in each terminal",
      "  headrace load people.csv --key id       load a file",
      "  headrace get 4711                       look up a value",
      "  headrace scan -o people.ndjson          stream everything into a file",
      "  headrace status                         see who holds what",
      "  headrace repair                         compare replicas, repair differences",
      "  headrace plan --members a,b,c --join d  see what would move",
      "",
      "  headrace COMMAND --help explains a command."
    })
public final class Main implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Also show stack traces and the node's log.")
  private boolean verbose;

  private Main() {}

  /** Runs a command and ends the process with its exit code. */
  public static void main(String[] args) {
    System.setProperty("java.util.logging.SimpleFormatter.format", "%1$tT %4$s %3$s: %5$s%6$s%n");
    System.exit(run(Terminal.system(), System::getenv, args));
  }

  /** Runs a command and returns its exit code. */
  static int run(Terminal terminal, EnvironmentDefaults.Lookup environment, String... args) {
    Main main = new Main();
    CommandLine line = new CommandLine(main);
    line.addSubcommand(new NodeCommand(terminal))
        .addSubcommand(new LoadCommand(terminal))
        .addSubcommand(new ScanCommand(terminal))
        .addSubcommand(new GetCommand(terminal))
        .addSubcommand(new PutCommand())
        .addSubcommand(new DeleteCommand(terminal))
        .addSubcommand(new ClearCommand(terminal))
        .addSubcommand(new DestroyCommand(terminal))
        .addSubcommand(new StatusCommand(terminal))
        .addSubcommand(new RepairCommand(terminal))
        .addSubcommand(new GiveUpCommand(terminal))
        .addSubcommand(new PlanCommand(terminal.out()))
        .addSubcommand(new DemoCommand(terminal))
        .addSubcommand(new CompletionCommand(terminal));
    line.setDefaultValueProvider(new EnvironmentDefaults(environment));
    line.setOut(new PrintWriter(terminal.out(), true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(terminal.err(), true, StandardCharsets.UTF_8));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setUsageHelpAutoWidth(true);
    line.setParameterExceptionHandler((e, unused) -> usedWrongly(e, environment));
    line.setExecutionExceptionHandler((e, command, unused) -> main.failed(e, command));
    line.setExecutionStrategy(parsed -> executed(parsed, terminal));
    quieten(List.of(args));
    return line.execute(args);
  }

  /** Runs what was asked for. It is done only if all that it said was written. */
  private static int executed(CommandLine.ParseResult parsed, Terminal terminal) {
    int exitCode = new CommandLine.RunLast().execute(parsed);
    if (exitCode == 0) {
      try {
        terminal.output().check();
      } catch (CommandFailure e) {
        CommandLine command = parsed.asCommandLineList().get(parsed.asCommandLineList().size() - 1);
        throw new CommandLine.ExecutionException(command, String.valueOf(e.getMessage()), e);
      }
    }
    return exitCode;
  }

  /** Without a command, prints the usage. */
  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return CommandLine.ExitCode.USAGE;
  }

  private static int usedWrongly(ParameterException e, EnvironmentDefaults.Lookup environment) {
    CommandLine command = e.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    command
        .getErr()
        .println(name + ": " + problem(e) + source(e, environment) + " (see " + name + " --help)");
    CommandLine.UnmatchedArgumentException.printSuggestions(e, command.getErr());
    return CommandLine.ExitCode.USAGE;
  }

  /** Names the environment variable if the wrong value is the variable's. */
  private static String source(ParameterException e, EnvironmentDefaults.Lookup environment) {
    String variable = e.getArgSpec() == null ? null : EnvironmentDefaults.variable(e.getArgSpec());
    return variable != null
            && e.getValue() != null
            && e.getValue().equals(environment.find(variable))
        ? ", from the environment variable " + variable
        : "";
  }

  private static String problem(ParameterException e) {
    boolean atTop = e.getCommandLine().getParent() == null;
    if (atTop && e instanceof CommandLine.UnmatchedArgumentException unmatched) {
      String first = unmatched.getUnmatched().get(0);
      if (!first.startsWith("-")) {
        return "there is no command " + first;
      }
    }
    return lowerFirst(String.valueOf(e.getMessage()));
  }

  private int failed(Exception e, CommandLine command) {
    String name = command.getCommandSpec().qualifiedName();
    PrintWriter err = command.getErr();
    CommandFailure failure = e instanceof CommandFailure said ? said : null;
    if (failure != null && failure.exitCode() == CommandFailure.NOBODY_READS) {
      return failure.exitCode();
    }
    err.println(name + ": " + FailureText.oneLine(e));
    if (verbose && (failure == null || failure.getCause() != null)) {
      e.printStackTrace(err); // without a cause, the line above says everything
    }
    if (failure != null && failure.lastLine() != null) {
      err.println(failure.lastLine());
    }
    return failure == null ? CommandFailure.FAILED : failure.exitCode();
  }

  /** Shows warnings when a node runs, and everything with {@code --verbose}. */
  private static void quieten(List<String> args) {
    Level level = Level.OFF;
    if (args.contains("--verbose")) {
      level = Level.INFO;
    } else if (args.contains("node")) {
      level = Level.WARNING;
    }
    Logger root = Logger.getLogger("");
    root.setLevel(level);
    Level handled = level;
    Arrays.stream(root.getHandlers()).forEach(handler -> handler.setLevel(handled));
  }

  private static String lowerFirst(String message) {
    boolean word = message.length() > 1 && Character.isLowerCase(message.charAt(1));
    return word ? Character.toLowerCase(message.charAt(0)) + message.substring(1) : message;
  }
}
