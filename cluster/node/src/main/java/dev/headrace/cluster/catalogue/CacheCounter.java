package dev.headrace.cluster.catalogue;

import dev.headrace.cluster.message.CacheCounts;
import dev.headrace.cluster.message.CountCaches;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.lane.Lanes;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryView;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.store.ReadStatus;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.SegmentReader;
import dev.headrace.stream.store.SegmentStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Answers how much this node holds of each cache that it knows. It reads the replicas and not the
 * lanes, so nothing waits for it; concurrent writes may or may not be counted.
 */
final class CacheCounter {
  private static final int READ_ENTRIES = 256;
  private static final int READ_BYTES = 64 << 10;

  private final NodeId self;
  private final Lanes lanes;
  private final Transport replies;

  /** Makes the counter of a node's lanes. */
  CacheCounter(NodeId self, Lanes lanes, Transport replies) {
    this.self = self;
    this.lanes = lanes;
    this.replies = replies;
  }

  /** Answers a question. Reads each replica of each cache in the answer. */
  void asked(NodeId from, CountCaches question) {
    SegmentTable table = lanes.table();
    if (table == null) {
      return; // the other node asks again
    }
    int[] owned =
        IntStream.range(0, table.segments())
            .filter(segment -> table.isOwner(segment, self))
            .toArray();
    int[] primary = IntStream.of(owned).filter(segment -> table.isPrimary(segment, self)).toArray();
    Set<String> held = lanes.cacheNames();
    NavigableMap<String, String> known =
        held.contains(Catalogue.NAME) ? notes(primary) : new TreeMap<>();
    held.forEach(name -> known.putIfAbsent(name, ""));
    known.remove(Catalogue.NAME);
    List<CacheCounts.Row> rows = new ArrayList<>();
    int bytes = 0;
    boolean more = false;
    for (Map.Entry<String, String> cache : known.tailMap(question.after(), false).entrySet()) {
      if (rows.size() == CacheCounts.MAX_ROWS || bytes >= CacheCounts.ENOUGH_BYTES) {
        more = true;
        break;
      }
      CacheCounts.Row row =
          held.contains(cache.getKey())
              ? row(cache.getKey(), cache.getValue(), owned, primary)
              : new CacheCounts.Row(cache.getKey(), 0, 0, 0, cache.getValue());
      bytes += row.cache().length() + row.formats().length();
      rows.add(row);
    }
    replies.send(from, new CacheCounts(question.number(), primary.length, more, rows));
  }

  private CacheCounts.Row row(String cache, String formats, int[] owned, int[] primary) {
    SegmentStore store = lanes.store(cache);
    long entries = 0;
    long bytes = 0;
    for (int segment : primary) {
      Replica replica = store.replica(segment);
      entries += replica == null ? 0 : replica.entries();
      bytes += replica == null ? 0 : replica.bytes();
    }
    long replicaBytes = 0;
    for (int segment : owned) {
      Replica replica = store.replica(segment);
      replicaBytes += replica == null ? 0 : replica.bytes();
    }
    return new CacheCounts.Row(cache, entries, bytes, replicaBytes, formats);
  }

  /** The notes in some segments of the catalogue, by the caches' names. */
  private NavigableMap<String, String> notes(int[] segments) {
    NavigableMap<String, String> notes = new TreeMap<>();
    SegmentStore store = lanes.store(Catalogue.NAME);
    SegmentReader reader = new SegmentReader();
    ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES);
    for (int segment : segments) {
      Replica replica = store.replica(segment);
      if (replica != null && replica.entries() > 0) {
        buffer = read(replica, reader, buffer, notes);
      }
    }
    return notes;
  }

  /** Reads a segment of the catalogue; returns the buffer, or a larger one that was needed. */
  private static ByteBuffer read(
      Replica replica, SegmentReader reader, ByteBuffer buffer, Map<String, String> notes) {
    ByteBuffer room = buffer;
    Cursor cursor = Cursor.START;
    while (true) {
      room.clear();
      ReadStatus status =
          reader.read(replica, cursor, READ_ENTRIES, room.capacity(), Projection.ENTRIES, room);
      if (status == ReadStatus.ENTRY_TOO_LARGE) {
        room = ByteBuffer.allocate(reader.requiredBytes());
        continue;
      }
      note(room.flip(), notes);
      if (status != ReadStatus.MORE) {
        return room;
      }
      cursor = reader.next();
    }
  }

  private static void note(ByteBuffer batch, Map<String, String> notes) {
    EntryView entry = new EntryView();
    for (int at = 0; at < batch.limit(); ) {
      at = entry.parse(batch, at, batch.limit());
      notes.put(
          new String(entry.key(batch), StandardCharsets.UTF_8),
          new String(entry.value(batch), StandardCharsets.UTF_8));
    }
  }
}
