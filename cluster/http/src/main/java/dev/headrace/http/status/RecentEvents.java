package dev.headrace.http.status;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headrace.api.ClusterStatus;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What has happened to a cluster lately, by what differs between one status of a node and the next.
 * Used by one thread.
 */
final class RecentEvents {
  private static final int KEPT = 50;

  private final Deque<Event> events = new ArrayDeque<>();
  private @Nullable ClusterStatus last;
  private long numbers;

  /**
   * One thing that has happened.
   *
   * @param number 1 for the first, then 2
   * @param atMillis when it was noticed, since 1970
   * @param text what, for people
   * @param bad whether somebody should look
   */
  record Event(long number, long atMillis, String text, boolean bad) {}

  /**
   * Notes what is different now. Of the first status, only what is wrong.
   *
   * @param atMillis since 1970
   */
  void observe(ClusterStatus now, long atMillis) {
    ClusterStatus before = last;
    last = now;
    if (before != null) {
      members(before, now, atMillis);
      moves(before.rebalance(), now.rebalance(), atMillis);
    }
    troubles(before, now, atMillis);
  }

  private void members(ClusterStatus before, ClusterStatus now, long atMillis) {
    Set<String> old = names(before);
    Set<String> present = names(now);
    for (ClusterStatus.Member member : now.members()) {
      if (!old.contains(member.name())) {
        String holds = member.capacity() > 0 ? "" : ", which holds nothing";
        add(atMillis, member.name() + " has joined" + holds, false);
      }
    }
    for (ClusterStatus.Member member : before.members()) {
      if (!present.contains(member.name())) {
        add(atMillis, member.name() + " is gone", member.capacity() > 0);
      }
    }
    String was = coordinator(before);
    String is = coordinator(now);
    if (is != null && was != null && !is.equals(was)) {
      add(atMillis, is + " is the coordinator now", false);
    }
  }

  private void moves(
      ClusterStatus.@Nullable Rebalance before,
      ClusterStatus.@Nullable Rebalance now,
      long atMillis) {
    boolean was = before != null && before.running();
    if (now != null && now.running() && !was) {
      String copies = String.format(Locale.ROOT, "%,d copies", now.plannedCopies());
      add(atMillis, "Segments begin to move: " + copies, false);
    } else if (now != null && !now.running() && (was || !isSame(before, now))) {
      double seconds = now.elapsed().toMillis() / 1e3;
      add(
          atMillis,
          String.format(
              Locale.ROOT,
              "All is in place after %,d copies, %,.1f MB in %,.1f s",
              now.copies(),
              now.bytes() / 1e6,
              seconds),
          false);
    }
  }

  /** Whether both tell of one rebalance that has ended. */
  private static boolean isSame(
      ClusterStatus.@Nullable Rebalance before, ClusterStatus.Rebalance now) {
    return before != null
        && before.plannedCopies() == now.plannedCopies()
        && before.copies() == now.copies()
        && before.bytes() == now.bytes();
  }

  private void troubles(@Nullable ClusterStatus before, ClusterStatus now, long atMillis) {
    String because = now.suspendedBecause();
    String was = before == null ? null : before.suspendedBecause();
    if (because != null && was == null) {
      add(atMillis, because, true);
    } else if (because == null && was != null) {
      add(atMillis, "This node serves again", false);
    }
    Set<Integer> lost = new HashSet<>(now.lostSegments());
    if (before != null) {
      before.lostSegments().forEach(lost::remove);
    }
    if (!lost.isEmpty()) {
      String segments = lost.size() == 1 ? "1 segment has" : lost.size() + " segments have";
      add(atMillis, segments + " no living owner any more", true);
    }
    Set<String> waited =
        before == null
            ? Set.of()
            : before.absent().stream()
                .map(ClusterStatus.Absent::name)
                .collect(Collectors.toUnmodifiableSet());
    for (ClusterStatus.Absent absent : now.absent()) {
      if (!waited.contains(absent.name())) {
        add(atMillis, absent.segments().size() + " segments wait for " + absent.name(), true);
      }
    }
  }

  private static Set<String> names(ClusterStatus status) {
    return status.members().stream()
        .map(ClusterStatus.Member::name)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static @Nullable String coordinator(ClusterStatus status) {
    return status.members().stream()
        .filter(ClusterStatus.Member::coordinator)
        .map(ClusterStatus.Member::name)
        .findFirst()
        .orElse(null);
  }

  private void add(long atMillis, String text, boolean bad) {
    events.add(new Event(++numbers, atMillis, text, bad));
    if (events.size() > KEPT) {
      events.remove();
    }
  }

  /** The events behind one, the oldest first; 0 for all that are kept. */
  List<Event> since(long number) {
    return events.stream().filter(event -> event.number() > number).toList();
  }

  /** Writes events as a field. */
  static void write(JsonGenerator json, List<Event> events) throws IOException {
    json.writeArrayFieldStart("events");
    for (Event event : events) {
      json.writeStartObject();
      json.writeNumberField("number", event.number());
      json.writeNumberField("at", event.atMillis());
      json.writeStringField("text", event.text());
      json.writeBooleanField("bad", event.bad());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
