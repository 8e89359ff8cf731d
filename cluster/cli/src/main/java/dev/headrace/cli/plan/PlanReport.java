package dev.headrace.cli.plan;

import dev.headrace.rebalance.plan.Plan;
import dev.headrace.rebalance.plan.Plan.NodeLoad;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A plan as text. */
final class PlanReport {
  private static final List<String> HEADER = List.of("node", "replicas", "primaries", "");

  private final PlannedChange change;
  private final SegmentTable before;
  private final Plan plan;

  PlanReport(PlannedChange change, SegmentTable before, Plan plan) {
    this.change = change;
    this.before = before;
    this.plan = plan;
  }

  String text() {
    StringBuilder text = new StringBuilder(summary()).append("\n\n");
    table().forEach(line -> text.append(line).append('\n'));
    text.append('\n').append(figure("copies", plan.copies()));
    text.append(figure("lower bound", plan.lowerBound()));
    text.append(figure("swaps", plan.swaps()));
    if (plan.restarts() > 0) {
      text.append(figure("lost", plan.restarts()));
    }
    return text.append('\n').append(explanation()).toString();
  }

  private String summary() {
    int owners = plan.targetRow(0).size();
    return plan.segments()
        + " segments, "
        + (owners == 1 ? "1 owner each" : owners + " owners each")
        + (owners == before.configuredOwners()
            ? ""
            : " (" + before.configuredOwners() + " configured; there are no more nodes)");
  }

  private String explanation() {
    return "A swap changes a segment's primary and copies nothing."
        + (plan.restarts() == 0
            ? ""
            : "\nLost segments have no owner left; they start again, empty, and are not copied.");
  }

  private static String figure(String name, int value) {
    return String.format("  %-11s  %7d%n", name, value);
  }

  private List<String> table() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADER);
    rows.addAll(rows());
    int[] widths =
        IntStream.range(0, HEADER.size())
            .map(column -> rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0))
            .toArray();
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private List<List<String>> rows() {
    Map<NodeId, NodeLoad> loads = new HashMap<>();
    plan.loads().forEach(load -> loads.put(load.member().id(), load));
    List<NodeArgument> nodes = change.nodes();
    int[][] counts = new int[nodes.size()][];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = counts(NodeArgument.id(nodes.get(i).name()), loads);
    }
    List<List<String>> rows = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      String name = nodes.get(i).name();
      rows.add(List.of(name, arrow(counts, i, 0), arrow(counts, i, 2), change.fate(name)));
    }
    return rows;
  }

  /** Replicas before and after, primaries before and after. */
  private int[] counts(NodeId id, Map<NodeId, NodeLoad> loads) {
    NodeLoad load = loads.get(id);
    int replicas = 0;
    int primaries = 0;
    for (int segment = 0; segment < before.segments(); segment++) {
      replicas += before.isOwner(segment, id) ? 1 : 0;
      primaries += before.isPrimary(segment, id) ? 1 : 0;
    }
    int replicasAfter = load == null ? 0 : load.replicasAfter();
    int primariesAfter = load == null ? 0 : load.primariesAfter();
    return new int[] {replicas, replicasAfter, primaries, primariesAfter};
  }

  /** Two numbers, each as wide as the widest of its column. */
  private static String arrow(int[][] counts, int row, int column) {
    return padded(counts, row, column) + " -> " + padded(counts, row, column + 1);
  }

  private static String padded(int[][] counts, int row, int column) {
    int width = 0;
    for (int[] numbers : counts) {
      width = Math.max(width, String.valueOf(numbers[column]).length());
    }
    String number = String.valueOf(counts[row][column]);
    return " ".repeat(width - number.length()) + number;
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      String text = row.get(column);
      line.append("  ").append(text).append(" ".repeat(widths[column] - text.length()));
    }
    return line.toString().stripTrailing();
  }
}
