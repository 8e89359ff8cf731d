package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.EncodedWrites;
import dev.headrace.replication.client.Failure;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.client.WriteGroups;
import dev.headrace.replication.lane.KeyHistory.Version;
import dev.headrace.replication.message.EncodedEntries;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The callers of a simulation: they write to a few keys, read them, and check what they are told
 * against the histories of these.
 */
final class SimulatedCallers {
  private static final int KEYS = LaneWorkload.KEYS;
  private static final int EXPIRING_KEY = 1000;
  private static final int MAX_STEPS_PER_KEY = 40;
  private static final int MAX_STEPS_WITH_READS = 52;
  private static final long LATE_NANOS = 1_800_000_000L;
  private static final long MILLIS = 1_000_000L;

  /**
   * As long as callers wait at most before they repeat what was lost more than once; no time-out.
   */
  private static final long MAX_QUIET_NANOS = 3_000 * MILLIS;

  private static final long TIMEOUT_NANOS = 4_000 * MILLIS;

  private final WriteSimulation world;
  private final KeyHistory[] histories = new KeyHistory[KEYS];
  private final Map<String, Integer> versions = new HashMap<>();
  private final Map<String, FirmTerms> terms = new HashMap<>();
  private final Lifespans lifespans;
  private int operationsLeft;
  private int inFlight;
  private int lastValue;
  long longestNanos;
  int done;
  int unknown;
  int refused;

  /** Operations on several keys. */
  int together;

  /** Operations by processors. */
  int processed;

  SimulatedCallers(WriteSimulation world, int operations, Lifespans lifespans) {
    this.world = world;
    this.lifespans = lifespans;
    operationsLeft = operations;
    for (int key = 0; key < KEYS; key++) {
      histories[key] = new KeyHistory(termsOf(key), lifespans);
    }
  }

  private FirmTerms termsOf(int key) {
    return terms.computeIfAbsent(LaneWorkload.cacheOf(key) + segment(key), none -> new FirmTerms());
  }

  List<KeyHistory> histories() {
    return List.of(histories);
  }

  /** Whether any operation is under way or to come. */
  boolean busy() {
    return inFlight > 0 || operationsLeft > 0;
  }

  /** Only some more operations are to come. */
  void slowDown() {
    operationsLeft = Math.min(operationsLeft, 20);
  }

  /** What a segment held is lost. */
  void lost(int segment) {
    for (int key = 0; key < KEYS; key++) {
      if (segment(key) == segment) {
        long now = world.network.nowNanos();
        histories[key].lose(now, now + 2 * SimulatedLeases.LEASE_NANOS);
      }
    }
  }

  /** The callers of a node that has crashed will never hear of their operations. */
  void crashed(LaneNode node) {
    inFlight -= node.exchange.caller().outstanding();
  }

  /** A thread of a node does its next operation. */
  void act(LaneNode node) {
    if (world.live.get(node.id) != node || operationsLeft <= 0) {
      return;
    }
    if (world.network.pausedNanos(node.id) > 0) {
      world.network.after(world.network.pausedNanos(node.id), () -> act(node));
      return;
    }
    operationsLeft--;
    int choice = world.random.nextInt(100);
    int key = world.random.nextInt(KEYS);
    while (LaneWorkload.isLate(key) && world.network.nowNanos() < LATE_NANOS) {
      key = world.random.nextInt(KEYS);
    }
    if (choice < 2) {
      clear(node, world.random.nextInt(WriteSimulation.SEGMENTS), key % LaneWorkload.CACHES.size());
    } else if (choice < 8) {
      putExpiring(node);
    } else if (choice < 40 || histories[key].size() > MAX_STEPS_PER_KEY) {
      get(node, key);
    } else if (choice < 52) {
      putSeveral(node, key);
    } else if (choice < 66) {
      process(node, key);
    } else {
      mutate(node, key, LaneWorkload.blindKind(world.random), -1, new Version(0, 0), expiry());
    }
  }

  /** A node writes to segments of which it is the primary. */
  void write(LaneNode node) {
    for (int key = 0; key < KEYS; key++) {
      boolean primary = world.table().isPrimary(segment(key), node.id);
      if (primary && histories[key].size() <= MAX_STEPS_PER_KEY && world.random.nextBoolean()) {
        mutate(node, key, Kind.PUT, -1, new Version(0, 0), 0);
      }
    }
  }

  private void pause(LaneNode node) {
    world.network.after(world.random.nextLong(30 * MILLIS), () -> act(node));
  }

  private void clear(LaneNode node, int segment, int cache) {
    List<KeyHistory.Step> steps = new ArrayList<>();
    for (int key = 0; key < KEYS; key++) {
      if (segment(key) == segment && key % LaneWorkload.CACHES.size() == cache) {
        steps.add(histories[key].begin(Kind.CLEAR, 0, 0, world.network.nowNanos()));
      }
    }
    submit(node, Request.clear(LaneWorkload.CACHES.get(cache), 0, segment), steps, -1);
  }

  private void putExpiring(LaneNode node) {
    Request request =
        Request.set(
            Kind.PUT,
            LaneWorkload.CACHES.get(0),
            0,
            LaneWorkload.key(EXPIRING_KEY + world.random.nextInt(3)),
            new byte[world.random.nextInt(3) == 0 ? 0 : world.random.nextInt(8)],
            world.network.nowMillis() + 1 + world.random.nextInt(300),
            false);
    submit(node, request, List.of(), -1);
  }

  private void get(LaneNode node, int key) {
    long begin = world.network.nowNanos();
    inFlight++;
    node.exchange
        .caller()
        .submit(
            Request.get(LaneWorkload.cacheOf(key), 0, LaneWorkload.key(key), true),
            TIMEOUT_NANOS,
            new Completion() {
              @Override
              public void done(OperationReply reply) {
                inFlight--;
                int value = reply.value() == null ? 0 : LaneWorkload.number(reply.value());
                Version version =
                    value == 0 ? null : new Version(reply.versionTerm(), reply.versionCounter());
                ended(node, key, begin);
                noteRead(key, value, version, begin, reply.epoch());
                checkVersion(key, value, new Version(reply.versionTerm(), reply.versionCounter()));
                checkExpiry(value, reply);
                if (world.random.nextBoolean() && histories[key].size() <= MAX_STEPS_PER_KEY) {
                  Kind kind =
                      world.random.nextInt(3) == 0
                          ? Kind.REMOVE_IF_VERSION
                          : Kind.REPLACE_IF_VERSION;
                  Version found = new Version(reply.versionTerm(), reply.versionCounter());
                  // A computation keeps the lifespan of what it replaces, or gives another one.
                  long expiry = world.random.nextBoolean() ? reply.number() : expiry();
                  world.network.after(
                      world.random.nextLong(10 * MILLIS),
                      () -> mutate(node, key, kind, value, found, expiry));
                } else {
                  pause(node);
                }
              }

              @Override
              public void failed(OperationFault fault) {
                inFlight--;
                ended(node, key, begin);
                pause(node);
              }
            });
  }

  /** Reads take part in the search for an order, where nobody may read what is outdated. */
  private void noteRead(int key, int value, Version version, long begin, long epoch) {
    boolean reliable = world.leases || (world.shutOut.isEmpty() && world.rebalancer.committed == 0);
    if (reliable && histories[key].size() < MAX_STEPS_WITH_READS) {
      KeyHistory.Step read = histories[key].read(value, version, begin, world.network.nowNanos());
      read.ownersEpoch = world.ownersEpoch(segment(key), epoch);
    }
  }

  /** A version names one value only. */
  private void checkVersion(int key, int value, Version version) {
    if (value != 0) {
      String name =
          "%s%d:%d:%d"
              .formatted(
                  LaneWorkload.cacheOf(key), segment(key), version.term(), version.counter());
      Integer before = versions.put(name, value);
      assertThat(before).as("value of version %s", name).isIn(null, value);
    }
  }

  /** Whoever tells a value that was left as it was also tells when it expires. */
  private void checkExpiry(int value, OperationReply reply) {
    if (value != 0) {
      assertThat(reply.number())
          .as("when value %d expires", value)
          .isEqualTo(lifespans.expiryMillis(value));
    }
  }

  /** When a new value expires: most do never, others soon. */
  private long expiry() {
    long lifespan = 1 + world.random.nextLong(world.random.nextBoolean() ? 40 : 400);
    return world.random.nextInt(5) < 3 ? 0 : world.network.nowMillis() + lifespan;
  }

  private void mutate(
      LaneNode node, int key, Kind kind, int expectedValue, Version version, long expiryMillis) {
    if (world.live.get(node.id) != node) {
      return;
    }
    int value = kind.writesValue() ? ++lastValue : 0;
    boolean equal = kind == Kind.REPLACE_IF_EQUAL || kind == Kind.REMOVE_IF_EQUAL;
    int expected = equal ? likelyValue(key) : expectedValue;
    if (kind.writesValue()) {
      lifespans.expires(value, expiryMillis);
    }
    KeyHistory.Step step = histories[key].begin(kind, value, expected, world.network.nowNanos());
    if (kind == Kind.REPLACE_IF_VERSION || kind == Kind.REMOVE_IF_VERSION) {
      step.version = version;
    }
    Request request =
        new Request(
            kind,
            LaneWorkload.cacheOf(key),
            0,
            0,
            LaneWorkload.key(key),
            kind.writesValue() ? LaneWorkload.bytes(value) : null,
            equal ? LaneWorkload.bytes(expected) : null,
            version.term(),
            version.counter(),
            kind.writesValue() ? expiryMillis : 0,
            world.random.nextBoolean(),
            step.version != null && world.random.nextBoolean());
    submit(node, request, List.of(step), key);
  }

  /** Has the primary run a processor; what it does is what one of the other kinds would do. */
  private void process(LaneNode node, int key) {
    int value = ++lastValue;
    long expiryMillis = expiry();
    Kind like =
        switch (LaneWorkload.changeOf(value)) {
          case PUT -> Kind.PUT;
          case REMOVE -> Kind.REMOVE;
          default -> Kind.REPLACE_IF_EQUAL; // with what nothing equals
        };
    lifespans.expires(value, expiryMillis);
    KeyHistory.Step step =
        histories[key].begin(like, like == Kind.REMOVE ? 0 : value, -1, world.network.nowNanos());
    Request request =
        Request.process(
            LaneWorkload.cacheOf(key),
            0,
            LaneWorkload.key(key),
            LaneWorkload.bytes(value),
            expiryMillis);
    processed++;
    submit(node, request, List.of(step), key);
  }

  /** Writes a key and others, those of one segment together. */
  private void putSeveral(LaneNode node, int key) {
    EncodedWrites writes = new EncodedWrites();
    List<Integer> keys = new ArrayList<>();
    List<Integer> values = new ArrayList<>();
    Kind kind = world.random.nextInt(3) > 0 ? Kind.PUT : Kind.PUT_IF_ABSENT;
    String cache = LaneWorkload.cacheOf(key);
    for (int other = 0; other < KEYS; other++) {
      boolean may =
          LaneWorkload.cacheOf(other).equals(cache) && histories[other].size() <= MAX_STEPS_PER_KEY;
      if (other == key || (may && world.random.nextInt(4) > 0)) {
        int value = ++lastValue;
        long expiry = expiry();
        lifespans.expires(value, expiry);
        keys.add(other);
        values.add(value);
        writes.add(LaneWorkload.key(other), LaneWorkload.bytes(value), expiry);
      }
    }
    WriteGroups groups = node.exchange.caller().group(writes);
    // The others go on without the thread, which does something else when the first has ended.
    for (int group = 0; group < groups.count(); group++) {
      List<Integer> some = new ArrayList<>();
      List<KeyHistory.Step> steps = new ArrayList<>();
      for (int entry = 0; entry < groups.size(group); entry++) {
        int index = groups.index(group, entry);
        some.add(keys.get(index));
        steps.add(
            histories[keys.get(index)].begin(
                kind, values.get(index), -1, world.network.nowNanos()));
      }
      submitSeveral(
          node,
          groups.request(group, cache, 0, kind == Kind.PUT_IF_ABSENT),
          some,
          steps,
          group == 0);
    }
  }

  private void submitSeveral(
      LaneNode node,
      Request request,
      List<Integer> keys,
      List<KeyHistory.Step> steps,
      boolean goesOn) {
    long begin = world.network.nowNanos();
    inFlight++;
    together += keys.size() > 1 ? 1 : 0;
    node.exchange
        .caller()
        .submit(
            request,
            TIMEOUT_NANOS,
            new Completion() {
              @Override
              public void done(OperationReply reply) {
                inFlight--;
                done++;
                ended(node, keys.get(0), begin);
                for (int i = 0; i < steps.size(); i++) {
                  noteOneOfSeveral(keys.get(i), steps.get(i), i, keys.size(), reply);
                }
                next();
              }

              @Override
              public void failed(OperationFault fault) {
                inFlight--;
                ended(node, keys.get(0), begin);
                if (fault.failure() == Failure.UNKNOWN) {
                  unknown++;
                } else {
                  refused++;
                  steps.forEach(step -> withdraw(step));
                }
                next();
              }

              private void next() {
                if (goesOn) {
                  pause(node);
                }
              }
            });
  }

  private void noteOneOfSeveral(
      int key, KeyHistory.Step step, int index, int count, OperationReply reply) {
    step.end = world.network.nowNanos();
    step.answered = true;
    step.applied = reply.applied() && !(count > 1 && EncodedEntries.isLeft(reply.value(), index));
    step.ownersEpoch = world.ownersEpoch(segment(key), reply.epoch());
    long last = reply.versionCounter() + count - 1;
    if (reply.versionTerm() > 0) {
      termsOf(key).acknowledged(reply.versionTerm(), last, world.network.nowNanos());
    }
    if (step.applied) {
      Version version = new Version(reply.versionTerm(), reply.versionCounter() + index);
      checkVersion(key, step.value, version);
      histories[key].acknowledge(step.value, version);
    }
  }

  private int likelyValue(int key) {
    int latest = histories[key].latestValue();
    boolean any = latest == 0 || world.random.nextBoolean();
    return any ? Math.max(1, lastValue - world.random.nextInt(12)) : latest;
  }

  private void submit(LaneNode node, Request request, List<KeyHistory.Step> steps, int key) {
    long begin = world.network.nowNanos();
    inFlight++;
    node.exchange
        .caller()
        .submit(
            request,
            TIMEOUT_NANOS,
            new Completion() {
              @Override
              public void done(OperationReply reply) {
                inFlight--;
                done++;
                ended(node, key, begin);
                int segment = key < 0 ? request.segment() : segment(key);
                for (KeyHistory.Step step : steps) {
                  note(step, request, reply);
                  step.ownersEpoch = world.ownersEpoch(segment, reply.epoch());
                }
                if (key >= 0 && reply.versionTerm() > 0) {
                  termsOf(key)
                      .acknowledged(
                          reply.versionTerm(), reply.versionCounter(), world.network.nowNanos());
                }
                if (key >= 0 && reply.applied() && steps.get(0).kind.writesValue()) {
                  int value = steps.get(0).value;
                  Version version = new Version(reply.versionTerm(), reply.versionCounter());
                  checkVersion(key, value, version);
                  histories[key].acknowledge(value, version);
                }
                pause(node);
              }

              @Override
              public void failed(OperationFault fault) {
                inFlight--;
                ended(node, key, begin);
                if (fault.failure() == Failure.UNKNOWN) {
                  unknown++;
                } else {
                  refused++;
                  steps.forEach(step -> withdraw(step));
                }
                pause(node);
              }
            });
  }

  private void note(KeyHistory.Step step, Request request, OperationReply reply) {
    step.end = world.network.nowNanos();
    step.answered = true;
    step.applied = reply.applied();
    step.previousKnown =
        request.kind() == Kind.PROCESS
            || (request.wantPrevious() && !(step.version != null && reply.applied()));
    step.previous = reply.value() == null ? 0 : LaneWorkload.number(reply.value());
    if (!reply.applied()) {
      checkExpiry(step.previous, reply);
    }
  }

  /** No operation may take longer than the faults in its time explain. */
  private void ended(LaneNode node, int key, long begin) {
    long quiet = world.network.nowNanos() - Math.max(begin, world.troubleUntilNanos());
    if (world.takesPart(node.id)) {
      longestNanos = Math.max(longestNanos, quiet);
      assertThat(quiet)
          .as("nanoseconds without any fault that an operation of %s on key %d took", node.id, key)
          .isLessThan(MAX_QUIET_NANOS);
    }
  }

  private void withdraw(KeyHistory.Step step) {
    for (KeyHistory history : histories) {
      history.cancel(step);
    }
  }

  private int segment(int key) {
    return world.space.segment(world.space.hash(LaneWorkload.key(key)));
  }
}
