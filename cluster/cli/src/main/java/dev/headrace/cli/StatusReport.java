package dev.headrace.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.headrace.api.CacheReport;
import dev.headrace.api.CacheStatus;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.ClusterStatus.Member;
import dev.headrace.cli.progress.Figures;
import dev.headrace.http.status.ClusterJson;
import dev.headrace.rebalance.table.Epoch;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A cluster's status as text, without the node that asked if it holds nothing. */
final class StatusReport {
  private static final List<String> HEADER =
      List.of("node", "address", "zone", "weight", "primary", "backup", "memory");
  private static final List<String> CACHE_HEADER =
      List.of("cache", "entries", "bytes", "with copies", "keys", "values");
  private static final List<String> SHARE_HEADER =
      List.of("cache", "node", "entries", "bytes", "with copies");

  private static final Pattern VISITOR =
      Pattern.compile("(load|scan|get|put|delete|clear|destroy|status|repair|give-up)-[0-9a-f]{6}");

  private final ClusterStatus status;
  private final @Nullable CacheReport caches;
  private final List<Member> members;

  /** A report without caches, of a cluster that did not tell which it has. */
  StatusReport(ClusterStatus status) {
    this(status, null, true);
  }

  /**
   * A report.
   *
   * @param caches null if the cluster did not tell
   * @param withVisitors whether the nodes of other commands are named
   */
  StatusReport(ClusterStatus status, @Nullable CacheReport caches, boolean withVisitors) {
    this.status = status;
    this.caches = caches;
    members =
        status.members().stream()
            .filter(
                member ->
                    member.capacity() > 0
                        || (!member.self() && (withVisitors || !isVisitor(member))))
            .toList();
  }

  private static boolean isVisitor(Member member) {
    return VISITOR.matcher(member.name()).matches();
  }

  /**
   * For people, in lines that fit a terminal.
   *
   * @param withShares whether to tell what each node holds of each cache, too
   */
  String table(boolean withShares) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADER);
    members.forEach(member -> rows.add(row(member)));
    StringBuilder text = new StringBuilder(summary()).append("\n\n");
    text.append(new TextTable(rows, column -> column >= 3, StatusReport::saysNothing).text());
    text.append('\n').append(suspended()).append(lost()).append(replicas()).append(rebalance());
    text.append(streams()).append(changes());
    if (caches != null && !caches.caches().isEmpty()) {
      text.append(caches(caches)).append(withShares ? shares(caches) : "");
    }
    return TextTable.wrapped(text.toString());
  }

  /** What each node holds of each cache. */
  private static String shares(CacheReport report) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(SHARE_HEADER);
    for (CacheStatus cache : report.caches()) {
      String name = cache.name();
      for (CacheStatus.Share share : cache.nodes()) {
        rows.add(
            List.of(
                name,
                share.node(),
                Figures.count(share.entries()),
                Figures.bytes(share.bytes()),
                Figures.bytes(share.replicaBytes())));
        name = "";
      }
    }
    return "\n\n"
        + new TextTable(rows, column -> column >= 2, column -> false).text().stripTrailing();
  }

  private static String caches(CacheReport report) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(CACHE_HEADER);
    for (CacheStatus cache : report.caches()) {
      rows.add(
          List.of(
              cache.name(),
              Figures.count(cache.entries()),
              Figures.bytes(cache.bytes()),
              Figures.bytes(cache.replicaBytes()),
              Objects.requireNonNullElse(cache.keyFormat(), "-"),
              Objects.requireNonNullElse(cache.valueFormat(), "-")));
    }
    StringBuilder text = new StringBuilder("\n\n");
    IntPredicate isNumber = column -> column >= 1 && column <= 3;
    text.append(new TextTable(rows, isNumber, StatusReport::saysNothing).text());
    if (!report.missingNodes().isEmpty()) {
      text.append("\n  without what these nodes hold, which did not answer: ")
          .append(String.join(", ", report.missingNodes()));
    } else if (!report.complete()) {
      text.append("\n  about, since segments change hands");
    }
    return text.toString().stripTrailing();
  }

  /** Whether all nodes have no zone, or the usual capacity. */
  private static boolean saysNothing(List<String> column) {
    return column.stream().allMatch("-"::equals) || column.stream().allMatch("1"::equals);
  }

  private String suspended() {
    String reason = status.suspendedBecause();
    return reason == null ? "" : reason + ".\n";
  }

  /** What is missing of the redundancy that there could be. */
  private String replicas() {
    StringBuilder text = new StringBuilder();
    if (status.missingReplicas() > 0) {
      text.append(
          String.format("%nReplicas missing: %s.", Figures.count(status.missingReplicas())));
    }
    String nodes =
        members.stream()
            .filter(member -> member.outOfSyncReplicas() > 0)
            .map(member -> Figures.count(member.outOfSyncReplicas()) + " of " + member.name())
            .collect(Collectors.joining(", "));
    if (!nodes.isEmpty()) {
      text.append(String.format("%nReplicas not in sync yet: %s.", nodes));
    }
    return text.toString();
  }

  /** Of each node that is told of and has streams. */
  private String streams() {
    return members.stream()
        .filter(
            member -> {
              ClusterStatus.StreamMemory memory = member.streamMemory();
              return memory != null && memory.streams() + memory.waiting() > 0;
            })
        .map(StatusReport::streams)
        .collect(Collectors.joining());
  }

  private static String streams(Member member) {
    ClusterStatus.StreamMemory memory = Objects.requireNonNull(member.streamMemory());
    return String.format(
        "%n%s streams of %s hold %s of %s; %s wait for memory.",
        Figures.count(memory.streams()),
        member.name(),
        Figures.bytes(memory.usedBytes()),
        Figures.bytes(memory.budgetBytes()),
        Figures.count(memory.waiting()));
  }

  /** Of each node that retains any. */
  private String changes() {
    String nodes =
        members.stream()
            .filter(member -> member.changeBytes() > 0)
            .map(member -> Figures.bytes(member.changeBytes()) + " on " + member.name())
            .collect(Collectors.joining(", "));
    return nodes.isEmpty() ? "" : String.format("%nChanges retained for readers: %s.", nodes);
  }

  private String rebalance() {
    ClusterStatus.Rebalance moving = status.rebalance();
    if (moving == null) {
      return "";
    }
    if (!moving.running()) {
      return String.format(
          "%nThe last rebalance copied %s replicas (at least %s needed), %s in %s.",
          Figures.count(moving.copies()),
          Figures.count(moving.lowerBound()),
          Figures.bytes(moving.bytes()),
          Figures.duration(moving.elapsed().toNanos()));
    }
    return String.format(
        "%nRebalancing: %s of %s replicas copied (at least %s are needed), %s under way, %s;"
            + " %s so far%s",
        Figures.count(moving.copies()),
        Figures.count(moving.plannedCopies()),
        Figures.count(moving.lowerBound()),
        Figures.count(moving.copying()),
        Figures.bytes(moving.bytes()),
        Figures.duration(moving.elapsed().toNanos()),
        moving.remaining().isZero()
            ? ""
            : ", about " + Figures.duration(moving.remaining().toNanos()) + " left");
  }

  private String summary() {
    return String.format(
        "Cluster \"%s\": epoch %s, %d segments, %s%s, placed by %s, protocol %d",
        status.clusterName(),
        Epoch.toString(status.epoch()),
        status.segments(),
        status.effectiveOwners() == 1 ? "1 owner each" : status.effectiveOwners() + " owners each",
        status.effectiveOwners() == status.configuredOwners()
            ? ""
            : " (" + status.configuredOwners() + " configured; start more nodes)",
        status.placement(),
        status.protocol());
  }

  private String lost() {
    List<Integer> lost = status.lostSegments();
    if (lost.isEmpty()) {
      return "* is the coordinator. No segment is lost.";
    }
    if (!status.absent().isEmpty()) {
      return "* is the coordinator. " + waiting();
    }
    return "* is the coordinator. "
        + lost.size()
        + " of "
        + status.segments()
        + " segments are LOST: all their owners are gone.\n  "
        + some(lost);
  }

  private String waiting() {
    return status.lostSegments().size()
        + " of "
        + status.segments()
        + " segments WAIT for nodes that cannot be reached and have the only copies:\n"
        + status.absent().stream()
            .map(node -> "  " + node.name() + " (" + node.address() + "): " + some(node.segments()))
            .collect(Collectors.joining("\n"))
        + "\n  Bring one of these nodes back, or give the segments up: headrace give-up";
  }

  private static String some(List<Integer> segments) {
    return segments.stream().limit(16).map(String::valueOf).collect(Collectors.joining(" "))
        + (segments.size() > 16 ? " ..." : "");
  }

  private static List<String> row(Member member) {
    return List.of(
        member.name() + (member.coordinator() ? " *" : ""),
        member.address(),
        member.zone().isEmpty() ? "-" : member.zone(),
        number(member.capacity()),
        String.valueOf(member.primarySegments()),
        String.valueOf(member.backupSegments()),
        memory(member.memory()));
  }

  private static String memory(ClusterStatus.@Nullable Memory memory) {
    return memory == null
        ? "-"
        : Figures.bytes(memory.usedBytes()) + " of " + Figures.bytes(memory.limitBytes());
  }

  private static String number(double value) {
    return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
  }

  /** For programs: what HTTP tells of the cluster, and of its caches. */
  String json() {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text).useDefaultPrettyPrinter()) {
      json.writeStartObject();
      ClusterJson.cluster(json, status);
      ClusterJson.moves(json, status);
      ClusterJson.members(json, members);
      if (caches != null) {
        ClusterJson.caches(json, caches, true);
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot happen: a string takes everything", e);
    }
    return text.toString();
  }
}
