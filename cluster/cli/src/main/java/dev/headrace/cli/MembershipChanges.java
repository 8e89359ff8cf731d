package dev.headrace.cli;

import dev.headrace.api.ClusterStatus;
import dev.headrace.api.ClusterStatus.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tells in words what changed between two statuses of a cluster. Used by one thread. */
final class MembershipChanges {
  private final boolean withVisitors;
  private final Map<String, Member> known = new HashMap<>();
  private int lostSegments;
  private String summary = "";

  /**
   * Of nobody so far.
   *
   * @param withVisitors whether nodes that hold nothing are told of
   */
  MembershipChanges(boolean withVisitors) {
    this.withVisitors = withVisitors;
  }

  /** What changed since the last call, one line each; at first everyone has come. */
  List<String> since(ClusterStatus status) {
    List<String> lines = new ArrayList<>();
    Map<String, Member> present = new HashMap<>();
    for (Member member : status.members()) {
      if (member.capacity() == 0 && !withVisitors && !member.self()) {
        continue;
      }
      present.put(id(member), member);
      if (!known.containsKey(id(member))) {
        lines.add("+ " + describe(member));
      }
    }
    known.forEach(
        (id, member) -> {
          if (!present.containsKey(id)) {
            lines.add("- " + member.name() + " is gone");
          }
        });
    int lost = status.lostSegments().size();
    if (lost != lostSegments) {
      lines.add("! " + lost + " of " + status.segments() + " segments have no living owner");
    }
    String now = summary(status);
    if (!now.equals(summary)) {
      lines.add(now);
      summary = now;
    }
    known.clear();
    known.putAll(present);
    lostSegments = lost;
    return lines;
  }

  private static String id(Member member) {
    return member.name() + " at " + member.address();
  }

  private static String describe(Member member) {
    String zone = member.zone().isEmpty() ? "" : ", zone " + member.zone();
    String role = member.capacity() > 0 ? "" : ", holds nothing";
    return id(member) + zone + role + (member.self() ? " (this node)" : "");
  }

  private static String summary(ClusterStatus status) {
    long holding = status.members().stream().filter(member -> member.capacity() > 0).count();
    String own =
        status.members().stream()
            .filter(Member::self)
            .map(
                self ->
                    ", "
                        + self.primarySegments()
                        + " primaries and "
                        + self.backupSegments()
                        + " backups here")
            .findFirst()
            .orElse("");
    return "  "
        + (holding == 1 ? "1 node holds" : holding + " nodes hold")
        + " "
        + status.segments()
        + " segments"
        + own;
  }
}
