package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.StoredEntry;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.ReplicaState;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What must hold of a simulated cluster to which nothing happens any more. */
record CalmCluster(
    Map<NodeId, LaneNode> live,
    Set<NodeId> shutOut,
    SegmentTable table,
    HashSpace space,
    Set<Integer> unaccountable,
    List<KeyHistory> histories) {

  void check() {
    for (LaneNode node : live.values()) {
      assertThat(node.damages).as("damages of %s", node.id).isEmpty();
      if (!shutOut.contains(node.id)) {
        assertThat(node.exchange.lanes().table()).isEqualTo(table);
        checkLanes(node);
        assertThat(node.exchange.caller().outstanding()).isZero();
      }
    }
    if (!table.written()) {
      return;
    }
    for (int segment = 0; segment < table.segments(); segment++) {
      for (int cache = 0; cache < LaneWorkload.CACHES.size(); cache++) {
        checkReplicas(segment, cache);
      }
    }
    for (int key = 0; key < histories.size(); key++) {
      if (!unaccountable.contains(segment(key))) {
        checkKey(key);
      }
    }
  }

  private static void checkLanes(LaneNode node) {
    SegmentTable newest = node.exchange.lanes().table();
    for (CacheSegments cache : node.exchange.lanes().caches()) {
      for (Lane lane : cache.lanes()) {
        assertThat(lane.table())
            .as("the table that segment %d keeps in memory at %s", lane.segment(), node.id)
            .isSameAs(newest);
      }
    }
  }

  private void checkReplicas(int segment, int cache) {
    String name = LaneWorkload.CACHES.get(cache);
    List<NodeId> owners = table.owners(segment);
    for (NodeId owner : owners) {
      assertThat(live.get(owner).content(name, segment))
          .as("segment %d of %s against its primary %s", segment, owner, owners.get(0))
          .isEqualTo(live.get(owners.get(0)).content(name, segment));
      Replica replica = live.get(owner).exchange.lanes().store(name).replica(segment);
      assertThat(replica.incarnation())
          .as("incarnation of segment %d at %s", segment, owner)
          .isEqualTo(table.incarnation(segment));
      assertThat(replica.state())
          .as("segment %d at %s", segment, owner)
          .isEqualTo(ReplicaState.OWNER);
      assertThat(replica.entries())
          .as("entries in segment %d, all expired ones removed", segment)
          .isEqualTo(unexpired(segment, cache));
    }
    for (LaneNode node : live.values()) {
      if (!shutOut.contains(node.id) && !owners.contains(node.id)) {
        assertThat(node.exchange.lanes().store(name).replica(segment))
            .as("what %s keeps of segment %d, which %s own", node.id, segment, owners)
            .isNull();
      }
    }
  }

  private long unexpired(int segment, int cache) {
    long count = 0;
    for (int key = 0; key < histories.size(); key++) {
      boolean here = segment(key) == segment && key % LaneWorkload.CACHES.size() == cache;
      count += here && finalValue(key) != 0 ? 1 : 0;
    }
    return count;
  }

  private int finalValue(int key) {
    int segment = segment(key);
    StoredEntry entry =
        live.get(table.owner(segment, 0))
            .exchange
            .lanes()
            .store(LaneWorkload.cacheOf(key))
            .replica(segment)
            .find(space.position(space.hash(LaneWorkload.key(key))), LaneWorkload.key(key));
    return entry == null ? 0 : LaneWorkload.number(entry.value());
  }

  private void checkKey(int key) {
    if (table.ownerCount(segment(key)) > 0) {
      int value = finalValue(key);
      assertThat(histories.get(key).explains(value))
          .as("an order that explains value %d of key %d: %s", value, key, histories.get(key))
          .isTrue();
    }
  }

  private int segment(int key) {
    return space.segment(space.hash(LaneWorkload.key(key)));
  }
}
