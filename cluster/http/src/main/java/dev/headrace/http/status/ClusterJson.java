package dev.headrace.http.status;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headrace.api.CacheReport;
import dev.headrace.api.CacheStatus;
import dev.headrace.api.ClusterStatus;
import dev.headrace.cluster.node.NodeView;
import dev.headrace.http.export.StreamFigures;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The cluster's state as JSON, for HTTP and the command line. Each method writes fields of an
 * object that the caller has begun.
 */
public final class ClusterJson {
  private static final int PLACES = 128;

  private ClusterJson() {}

  /**
   * What the cluster as a whole is, without its members.
   *
   * @throws IOException if the generator does
   */
  public static void cluster(JsonGenerator json, ClusterStatus status) throws IOException {
    json.writeStringField("cluster", status.clusterName());
    json.writeStringField("epoch", Epoch.toString(status.epoch()));
    json.writeNumberField("protocol", status.protocol());
    json.writeNumberField("segments", status.segments());
    json.writeNumberField("configuredOwners", status.configuredOwners());
    json.writeNumberField("effectiveOwners", status.effectiveOwners());
    json.writeNumberField("missingReplicas", status.missingReplicas());
    json.writeStringField("placement", status.placement());
    json.writeStringField("security", status.security());
    json.writeStringField("suspendedBecause", status.suspendedBecause());
    json.writeNumberField("clockErrorMillis", status.clockError().toNanos() / 1e6);
    json.writeArrayFieldStart("lostSegments");
    for (int segment : status.lostSegments()) {
      json.writeNumber(segment);
    }
    json.writeEndArray();
    json.writeArrayFieldStart("absent");
    for (ClusterStatus.Absent absent : status.absent()) {
      json.writeStartObject();
      json.writeStringField("name", absent.name());
      json.writeStringField("address", absent.address());
      json.writeNumberField("segments", absent.segments().size());
      json.writeEndObject();
    }
    json.writeEndArray();
    rebalance(json, status.rebalance());
    json.writeFieldName("streamMemory");
    streamMemory(json, status.streamMemory());
  }

  private static void rebalance(JsonGenerator json, ClusterStatus.@Nullable Rebalance rebalance)
      throws IOException {
    json.writeFieldName("rebalance");
    if (rebalance == null) {
      json.writeNull();
      return;
    }
    json.writeStartObject();
    json.writeBooleanField("running", rebalance.running());
    json.writeNumberField("plannedCopies", rebalance.plannedCopies());
    json.writeNumberField("lowerBound", rebalance.lowerBound());
    json.writeNumberField("copies", rebalance.copies());
    json.writeNumberField("copying", rebalance.copying());
    json.writeNumberField("bytes", rebalance.bytes());
    json.writeNumberField("elapsedMillis", rebalance.elapsed().toMillis());
    json.writeNumberField("remainingMillis", rebalance.remaining().toMillis());
    json.writeEndObject();
  }

  /**
   * The segments that are being copied, as a field.
   *
   * @throws IOException if the generator does
   */
  public static void moves(JsonGenerator json, ClusterStatus status) throws IOException {
    json.writeArrayFieldStart("moves");
    for (ClusterStatus.Move move : movesOf(status)) {
      json.writeStartObject();
      json.writeNumberField("segment", move.segment());
      json.writeStringField("source", move.source());
      json.writeArrayFieldStart("destinations");
      for (String destination : move.destinations()) {
        json.writeString(destination);
      }
      json.writeEndArray();
      json.writeBooleanField("copied", move.copied());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static List<ClusterStatus.Move> movesOf(ClusterStatus status) {
    ClusterStatus.Rebalance rebalance = status.rebalance();
    return rebalance == null ? List.of() : rebalance.moves();
  }

  /** The segments that are being copied to each node, which is shorter than {@link #moves}. */
  static void copying(JsonGenerator json, ClusterStatus status) throws IOException {
    Map<String, List<Integer>> copying = new TreeMap<>();
    for (ClusterStatus.Move move : movesOf(status)) {
      for (String node : move.destinations()) {
        copying.computeIfAbsent(node, first -> new ArrayList<>()).add(move.segment());
      }
    }
    json.writeObjectFieldStart("copying");
    for (Map.Entry<String, List<Integer>> node : copying.entrySet()) {
      json.writeArrayFieldStart(node.getKey());
      for (int segment : node.getValue()) {
        json.writeNumber(segment);
      }
      json.writeEndArray();
    }
    json.writeEndObject();
  }

  private static void streamMemory(JsonGenerator json, ClusterStatus.@Nullable StreamMemory memory)
      throws IOException {
    if (memory == null) {
      json.writeNull();
      return;
    }
    json.writeStartObject();
    json.writeNumberField("budgetBytes", memory.budgetBytes());
    json.writeNumberField("usedBytes", memory.usedBytes());
    json.writeNumberField("streams", memory.streams());
    json.writeNumberField("waiting", memory.waiting());
    json.writeEndObject();
  }

  /**
   * Members, as a field.
   *
   * @throws IOException if the generator does
   */
  public static void members(JsonGenerator json, List<ClusterStatus.Member> members)
      throws IOException {
    json.writeArrayFieldStart("members");
    for (ClusterStatus.Member member : members) {
      json.writeStartObject();
      json.writeStringField("name", member.name());
      json.writeStringField("address", member.address());
      json.writeStringField("zone", member.zone());
      json.writeNumberField("capacity", member.capacity());
      json.writeNumberField("primarySegments", member.primarySegments());
      json.writeNumberField("backupSegments", member.backupSegments());
      json.writeBooleanField("coordinator", member.coordinator());
      json.writeBooleanField("self", member.self());
      ClusterStatus.Memory memory = member.memory();
      if (memory != null) {
        json.writeNumberField("usedBytes", memory.usedBytes());
        json.writeNumberField("limitBytes", memory.limitBytes());
      }
      json.writeFieldName("streamMemory");
      streamMemory(json, member.streamMemory());
      json.writeNumberField("bufferBytes", member.bufferBytes());
      json.writeNumberField("changeBytes", member.changeBytes());
      json.writeNumberField("outOfSyncReplicas", member.outOfSyncReplicas());
      json.writeArrayFieldStart("outOfSyncSegments");
      for (int segment : member.outOfSyncSegments()) {
        json.writeNumber(segment);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /**
   * The caches with their sizes and formats, and whether that is all of it.
   *
   * @param withNodes whether to tell what each node holds of each cache, too
   * @throws IOException if the generator does
   */
  public static void caches(JsonGenerator json, CacheReport report, boolean withNodes)
      throws IOException {
    json.writeArrayFieldStart("caches");
    for (CacheStatus cache : report.caches()) {
      json.writeStartObject();
      json.writeStringField("name", cache.name());
      json.writeNumberField("entries", cache.entries());
      json.writeNumberField("bytes", cache.bytes());
      json.writeNumberField("replicaBytes", cache.replicaBytes());
      json.writeStringField("keyFormat", cache.keyFormat());
      json.writeStringField("valueFormat", cache.valueFormat());
      if (withNodes) {
        shares(json, cache.nodes());
      }
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("missingNodes");
    for (String missing : report.missingNodes()) {
      json.writeString(missing);
    }
    json.writeEndArray();
    json.writeBooleanField("complete", report.complete());
  }

  private static void shares(JsonGenerator json, List<CacheStatus.Share> nodes) throws IOException {
    json.writeArrayFieldStart("nodes");
    for (CacheStatus.Share share : nodes) {
      json.writeStartObject();
      json.writeStringField("name", share.node());
      json.writeNumberField("entries", share.entries());
      json.writeNumberField("bytes", share.bytes());
      json.writeNumberField("replicaBytes", share.replicaBytes());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /**
   * The streams that this node's port serves, as a field.
   *
   * @param segments how many the cluster has
   */
  static void streams(JsonGenerator json, List<StreamFigures> streams, int segments)
      throws IOException {
    json.writeArrayFieldStart("streams");
    for (StreamFigures stream : streams) {
      json.writeStartObject();
      json.writeNumberField("number", stream.number());
      json.writeStringField("cache", stream.cache());
      json.writeNumberField("segments", stream.segments());
      json.writeNumberField("completed", stream.completed());
      json.writeNumberField("entries", stream.entries());
      json.writeNumberField("bytes", stream.bytes());
      json.writeBooleanField("paused", stream.paused());
      json.writeNumberField("creditEntries", stream.creditEntries());
      json.writeNumberField("creditBytes", stream.creditBytes());
      json.writeNumberField("creditLimitBytes", stream.creditLimitBytes());
      json.writeStringField("place", place(stream.completedSegments(), segments));
      json.writeObjectFieldStart("nodes");
      for (Map.Entry<String, Long> lane : stream.received().entrySet()) {
        json.writeNumberField(lane.getKey(), lane.getValue());
      }
      json.writeEndObject();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /**
   * How much of the hash space is read, in {@value #PLACES} equal parts or one for each segment if
   * these are fewer: a digit each, from 0 for nothing to 9 for all.
   */
  static String place(BitSet completed, int segments) {
    int parts = Math.min(PLACES, segments);
    StringBuilder place = new StringBuilder(parts);
    for (int part = 0; part < parts; part++) {
      int from = (int) ((long) part * segments / parts);
      int to = (int) ((part + 1L) * segments / parts);
      int read = completed.get(from, to).cardinality();
      place.append((char) ('0' + 9 * read / (to - from)));
    }
    return place.toString();
  }

  /** Who owns which segment, the primary first; owners are indexes of {@code names}. */
  static void table(JsonGenerator json, NodeView view) throws IOException {
    SegmentTable table = view.table();
    json.writeNumberField("epoch", table.epoch());
    json.writeArrayFieldStart("names");
    for (Member member : table.members()) {
      json.writeString(view.nameOf(member));
    }
    json.writeEndArray();
    json.writeArrayFieldStart("owners");
    for (int segment = 0; segment < table.segments(); segment++) {
      owners(json, table, segment);
    }
    json.writeEndArray();
  }

  /** The owners of a segment as indexes of the table's members. */
  static void owners(JsonGenerator json, SegmentTable table, int segment) throws IOException {
    json.writeStartArray();
    for (int i = 0; i < table.ownerCount(segment); i++) {
      Member owner = table.member(table.owner(segment, i));
      json.writeNumber(owner == null ? -1 : table.members().indexOf(owner));
    }
    json.writeEndArray();
  }
}
