package dev.headrace.replication.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.RepairReport;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.StoredEntry;
import dev.headrace.stream.store.Replica;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * Three nodes that own everything are written to while they repair, on a bad network. In some runs
 * entries of backups are damaged behind the protocol's back; in the others primaries change. At the
 * end all replicas are equal and have every acknowledged write, and a sound replica has never been
 * taken for another.
 */
final class RepairSimulation {
  private static final int SEGMENTS = 2;
  private static final int KEYS = 600;
  private static final String[] CACHES = {"a", "b"};
  private static final long MILLIS = Peers.MILLIS;
  private static final long TROUBLE_NANOS = 2_000 * MILLIS;

  private final SplittableRandom random;
  private final boolean damaging;
  private final Peers peers;
  private final Map<String, String> acknowledged = new HashMap<>();
  private final Set<String> uncertain = new HashSet<>();
  private final Set<String> inFlight = new HashSet<>();
  private final List<CompletableFuture<RepairReport>> orders = new ArrayList<>();
  private int values;
  private int writes;
  private int damages;

  RepairSimulation(long seed) {
    random = new SplittableRandom(seed);
    damaging = random.nextBoolean();
    peers = new Peers(random.nextLong(), 3, SEGMENTS, random.nextInt(3) > 0);
  }

  void run() {
    peers.run(100 * MILLIS);
    for (int key = 0; key < KEYS; key++) {
      write("key" + key);
    }
    peers.run(300 * MILLIS);
    long endNanos = peers.nowNanos() + TROUBLE_NANOS;
    for (int writer = 0; writer < 4; writer++) {
      peers.after(random.nextLong(10 * MILLIS), () -> keepWriting(endNanos));
    }
    peers.after(random.nextLong(100 * MILLIS), () -> trouble(endNanos));
    peers.after(random.nextLong(200 * MILLIS), () -> repair(endNanos));
    peers.run(TROUBLE_NANOS);
    peers.heal();
    peers.run(3_000 * MILLIS);
    orders.add(peers.peers.get(0).order());
    peers.run(5_000 * MILLIS);
    check();
  }

  // ---- Writers

  private void keepWriting(long endNanos) {
    if (peers.nowNanos() < endNanos) {
      write("key" + random.nextInt(KEYS));
      peers.after(random.nextLong(8 * MILLIS), () -> keepWriting(endNanos));
    }
  }

  private void write(String key) {
    if (!inFlight.add(key)) {
      return;
    }
    String cache = cacheOf(key);
    int kind = random.nextInt(10);
    String value = "v" + ++values + "x".repeat(random.nextInt(kind == 0 ? 3_000 : 60));
    long expiryMillis = kind == 1 ? peers.nowNanos() / MILLIS + random.nextLong(2_000) : 0;
    boolean removes = kind == 2;
    Request request =
        removes
            ? Request.remove(cache, 0, bytes(key), false)
            : Request.set(Kind.PUT, cache, 0, bytes(key), bytes(value), expiryMillis, false);
    RepairingNode from = peers.peers.get(random.nextInt(peers.peers.size()));
    String then = removes ? "" : value;
    boolean lasting = expiryMillis == 0;
    from.caller.submit(
        request,
        4_000 * MILLIS,
        new Completion() {
          @Override
          public void done(OperationReply reply) {
            writes++;
            ended(key, lasting ? then : null);
          }

          @Override
          public void failed(OperationFault fault) {
            ended(key, null);
          }
        });
  }

  private void ended(String key, String value) {
    inFlight.remove(key);
    if (value == null) {
      uncertain.add(key);
    } else {
      uncertain.remove(key);
      acknowledged.put(key, value);
    }
  }

  private static String cacheOf(String key) {
    return CACHES[key.hashCode() & 1];
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  // ---- Trouble

  private void trouble(long endNanos) {
    if (peers.nowNanos() >= endNanos) {
      return;
    }
    if (random.nextInt(3) == 0) {
      peers.cut(any(), any(), random.nextLong(100 * MILLIS));
    } else if (damaging) {
      damage();
    } else if (random.nextInt(4) == 0) {
      peers.rotate();
    }
    peers.after(random.nextLong(150 * MILLIS), () -> trouble(endNanos));
  }

  private RepairingNode any() {
    return peers.peers.get(random.nextInt(peers.peers.size()));
  }

  private void damage() {
    int segment = random.nextInt(SEGMENTS);
    RepairingNode backup = peers.backup(segment, 1 + random.nextInt(2));
    String cache = CACHES[random.nextInt(CACHES.length)];
    int count = random.nextInt(10) == 0 ? 200 : 1;
    backup.damage(
        cache,
        segment,
        replica -> {
          for (int i = 0; i < count; i++) {
            damage(replica, backup.space(cache), segment);
          }
        });
  }

  private void damage(Replica replica, HashSpace space, int segment) {
    byte[] key = bytes("key" + random.nextInt(KEYS));
    while (space.segment(space.hash(key)) != segment) {
      key = bytes("key" + random.nextInt(2 * KEYS));
    }
    long position = space.position(space.hash(key));
    StoredEntry entry = replica.find(position, key);
    boolean there = entry != null && entry.value().length > 0;
    damages++;
    if (!there) {
      replica.put(position, key, bytes("extra"), 1, 1, 0);
    } else if (random.nextInt(3) == 0) {
      replica.remove(position, key);
    } else if (random.nextBoolean()) {
      entry.value()[0]++;
      replica.put(
          position, key, entry.value(), entry.term(), entry.counter(), entry.expiryMillis());
    } else {
      long counter = entry.counter() + (random.nextBoolean() ? 1 : -1);
      replica.put(position, key, entry.value(), entry.term(), counter, entry.expiryMillis());
    }
  }

  private void repair(long endNanos) {
    if (peers.nowNanos() < endNanos) {
      orders.add(any().order(random.nextBoolean() ? new String[0] : new String[] {"a"}));
      peers.after(random.nextLong(400 * MILLIS), () -> repair(endNanos));
    }
  }

  // ---- The end

  private void check() {
    assertThat(writes).isGreaterThan(KEYS);
    assertThat(orders).allMatch(CompletableFuture::isDone);
    assertThat(orders).allSatisfy(order -> assertThat(order.join().complete()).isTrue());
    for (String cache : CACHES) {
      for (int segment = 0; segment < SEGMENTS; segment++) {
        byte[] primary = peers.primary(segment).content(cache, segment);
        for (RepairingNode peer : peers.peers) {
          assertThat(peer.content(cache, segment)).isEqualTo(primary);
        }
      }
    }
    acknowledged.forEach(
        (key, value) -> {
          if (!uncertain.contains(key)) {
            assertThat(stored(key)).as(key).isEqualTo(value);
          }
        });
    if (!damaging) {
      assertThat(found()).as("differences between sound replicas").isZero();
    }
  }

  /** How often segments were found to differ. */
  long found() {
    return peers.peers.stream().mapToLong(peer -> peer.found.size()).sum();
  }

  /** How many entries were damaged. */
  int damages() {
    return damages;
  }

  private String stored(String key) {
    String cache = cacheOf(key);
    HashSpace space = any().space(cache);
    long hash = space.hash(bytes(key));
    RepairingNode primary = peers.primary(space.segment(hash));
    StoredEntry entry =
        primary
            .lanes
            .store(cache)
            .replica(space.segment(hash))
            .find(space.position(hash), bytes(key));
    return entry == null ? "" : new String(entry.value(), StandardCharsets.UTF_8);
  }
}
