package dev.headrace.cli.plan;

import dev.headrace.api.error.PlacementException;
import dev.headrace.cli.cluster.TableOptions;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.placement.segment.Placements;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Prints what would move if nodes came, left or crashed. */
@Command(
    name = "plan",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Prints what would move if nodes joined, left or crashed.",
      "It needs no cluster. A node is written NAME[=CAPACITY][@ZONE]; several are "
          + "separated by commas. All changes are planned together."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headrace plan --members a,b,c --join d",
      "  headrace plan --members a@x,b@x,c@y,d@y --crash b",
      "  headrace plan --members a,b,c=2 --owners 3 --leave a --join d,e",
      "  headrace plan --members a,b,c --join d --placement maglev:1.25"
    })
public final class PlanCommand implements Callable<Integer> {
  private final PrintStream out;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--members",
      required = true,
      split = ",",
      paramLabel = "NODE",
      description = "The members before the change.")
  private List<String> members = List.of();

  @Option(names = "--join", split = ",", paramLabel = "NODE", description = "Nodes that join.")
  private List<String> joining = List.of();

  @Option(
      names = "--leave",
      split = ",",
      paramLabel = "NAME",
      description = "Members that leave; they hand over what they hold first.")
  private List<String> leaving = List.of();

  @Option(
      names = "--crash",
      split = ",",
      paramLabel = "NAME",
      description = "Members that are gone at once.")
  private List<String> crashing = List.of();

  @Mixin private TableOptions table = new TableOptions();

  /** A command that prints to {@code out}. */
  public PlanCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() {
    PlannedChange change;
    try {
      checkRanges();
      Placement how = Placements.of(table.placement());
      change = new PlannedChange(nodes(members), nodes(joining), leaving, crashing, how);
    } catch (IllegalArgumentException | PlacementException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    SegmentTable before = change.before(table.segments(), table.owners());
    out.println(new PlanReport(change, before, change.plan(before)).text());
    return 0;
  }

  private void checkRanges() {
    if (table.segments() < 1 || table.segments() > TableHeader.MAX_SEGMENTS) {
      throw new IllegalArgumentException(
          "--segments must be between 1 and %d, but is %d"
              .formatted(TableHeader.MAX_SEGMENTS, table.segments()));
    }
    if (table.owners() < 1) {
      throw new IllegalArgumentException("--owners must be at least 1, but is " + table.owners());
    }
  }

  private static List<NodeArgument> nodes(List<String> texts) {
    return texts.stream().map(NodeArgument::parse).toList();
  }
}
