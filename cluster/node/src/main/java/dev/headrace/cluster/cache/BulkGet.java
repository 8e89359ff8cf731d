package dev.headrace.cluster.cache;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.replication.client.BulkCompletion;
import dev.headrace.replication.client.KeyRoutes;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.stream.NodeId;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads many keys for one method: sends one message to each node for several keys, and gets their
 * values together.
 *
 * <p>Messages and answers are bounded; the next message asks for what an answer had no room for. So
 * {@value #MAX_MESSAGES} of them under way take at most some megabytes. Keys without a plain
 * answer, because the node is lost, not the owner or not ready, or because the value is too large,
 * are read one by one at the end, by operations that are sent again and tell what is wrong.
 *
 * <p>If a node takes long, other owners are asked once for its keys.
 *
 * <p>{@link #step} does all the work, on one thread at a time. Other threads only queue answers.
 */
final class BulkGet<K, V> implements Stepwise {

  /** The most messages under way. */
  static final int MAX_MESSAGES = 16;

  private static final int[] NOTHING = {};

  private final List<? extends K> keys;
  private final List<Slice> slices = new ArrayList<>();
  private final Requests<K, V> requests;
  private final CallPort port;
  private final Runnable wake;

  // Used by the thread that steps.
  private final Map<K, V> found = new HashMap<>();
  private final ByteInput in = new ByteInput();
  private final ArrayDeque<Part> parts = new ArrayDeque<>();
  private final LongStream.Builder alone = LongStream.builder();
  private int aloneCount;
  private int nextSlice;
  private int inFlight;
  private @Nullable Stepwise rest;
  private @Nullable Throwable failure;

  private final Queue<Part> ended = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean asleep = new AtomicBoolean();

  /** Keys that are routed together. */
  private record Slice(int index, int firstKey, EncodedKeys encoded) {}

  /** The keys of one message, and then those that its answer had no room for. */
  private final class Part implements BulkCompletion {
    private final Slice slice;
    private final KeyRoutes routes;
    private final int group;
    private final NodeId node;

    /** The places in the order of the routes. */
    private int from;

    private final int to;

    /** Published by the queue. */
    private @Nullable BulkReadReply reply;

    /** Published by the queue. */
    private boolean slow;

    /** Whether this node is asked instead of another one. */
    private final boolean second;

    Part(Slice slice, KeyRoutes routes, int group, NodeId node, int from, int to, boolean second) {
      this.slice = slice;
      this.routes = routes;
      this.group = group;
      this.node = node;
      this.from = from;
      this.to = to;
      this.second = second;
    }

    BulkRead read() {
      EncodedKeys some = slice.encoded.select(routes.order(), from, to);
      return requests.read(some, routes.segmentEpoch(group), routes.epoch());
    }

    @Override
    public boolean hasOthers() {
      return !second && routes.hasOthers(group);
    }

    @Override
    public void slow() {
      slow = true;
      end();
    }

    @Override
    public void ended(@Nullable BulkReadReply answer) {
      reply = answer;
      end();
    }

    private void end() {
      ended.add(this);
      if (asleep.compareAndSet(true, false)) {
        wake.run();
      }
    }
  }

  /**
   * @param keys the keys to read
   * @param encoded the same keys, encoded in slices
   * @param wake makes {@link #step} be called again; called on any thread
   */
  BulkGet(
      List<? extends K> keys,
      List<EncodedKeys> encoded,
      Requests<K, V> requests,
      CallPort port,
      Runnable wake) {
    this.keys = keys;
    int firstKey = 0;
    for (EncodedKeys some : encoded) {
      slices.add(new Slice(slices.size(), firstKey, some));
      firstKey += some.count();
    }
    this.requests = requests;
    this.port = port;
    this.wake = wake;
  }

  /** After an end without failure: the entries that are present. */
  Map<K, V> found() {
    return found;
  }

  @Override
  public @Nullable Throwable failure() {
    return failure == null && rest != null ? rest.failure() : failure;
  }

  @Override
  public boolean step() {
    while (rest == null) {
      collect();
      send();
      if (inFlight == 0) {
        if (failure != null || aloneCount == 0) {
          return true;
        }
        rest = oneByOne();
      } else if (ended.isEmpty()) {
        asleep.set(true);
        if (ended.isEmpty() || !asleep.compareAndSet(true, false)) {
          return false;
        }
      }
    }
    return rest.step();
  }

  // ---- Questions

  private void send() {
    while (failure == null && inFlight < MAX_MESSAGES && (!parts.isEmpty() || route())) {
      Part part = parts.remove();
      inFlight++;
      port.ask(part.node, part.read(), part);
    }
  }

  /** Finds the nodes of the next slice's keys. Returns false if no node is left to ask. */
  private boolean route() {
    while (nextSlice < slices.size() && parts.isEmpty()) {
      Slice slice = slices.get(nextSlice++);
      KeyRoutes routes = port.readRoutes(slice.encoded);
      if (routes != null) {
        divide(slice, routes, false);
        continue;
      }
      for (int key = 0; key < slice.encoded.count(); key++) {
        leave(slice, key);
      }
    }
    return !parts.isEmpty();
  }

  private void divide(Slice slice, KeyRoutes routes, boolean second) {
    for (int group = 0; group < routes.groups(); group++) {
      NodeId node = routes.node(group);
      int end = routes.end(group);
      int to = routes.start(group);
      while (to < end) {
        int from = to;
        if (node == null) {
          leave(slice, routes.order()[to++]);
        } else {
          to = messageEnd(slice.encoded, routes.order(), from, end);
          parts.add(new Part(slice, routes, group, node, from, to, second));
        }
      }
    }
  }

  /** The end of the message that begins at a place. */
  private static int messageEnd(EncodedKeys encoded, int[] order, int from, int end) {
    int most = Math.min(end, from + BulkRead.MAX_KEYS);
    long bytes = encoded.length(order[from]);
    int to = from + 1;
    while (to < most && bytes + encoded.length(order[to]) <= BulkRead.MAX_KEY_BYTES) {
      bytes += encoded.length(order[to++]);
    }
    return to;
  }

  /** Leaves a key to be read by itself. */
  private void leave(Slice slice, int key) {
    alone.add((long) slice.index << Integer.SIZE | key);
    aloneCount++;
  }

  // ---- Answers

  private void collect() {
    for (Part part = ended.poll(); part != null; part = ended.poll()) {
      inFlight--;
      if (failure == null) {
        try {
          handle(part);
        } catch (RuntimeException | Error e) { // anything that a codec throws
          failure = e;
        }
      }
    }
  }

  private void handle(Part part) {
    BulkReadReply reply = part.reply;
    int[] lengths = reply == null ? NOTHING : reply.lengths();
    int[] order = part.routes.order();
    if (part.slow) {
      divide(
          part.slice,
          part.routes.elsewhere(part.slice.encoded, part.group, part.from, part.to),
          true);
      return;
    }
    if (reply == null || lengths.length == 0) {
      while (part.from < part.to) {
        leave(part.slice, order[part.from++]);
      }
      return;
    }
    ByteBuffer values = ByteBuffer.wrap(reply.values());
    int end = 0;
    for (int i = 0; i < lengths.length && part.from < part.to; i++) {
      int key = order[part.from++];
      if (lengths[i] >= 0) {
        in.reset(values, end, end + lengths[i]);
        end += lengths[i];
        found.put(keys.get(part.slice.firstKey + key), requests.decodeValue(in));
      } else if (lengths[i] == BulkReadReply.ALONE) {
        leave(part.slice, key);
      }
    }
    if (part.from < part.to) {
      parts.addFirst(part); // the answer had no room for the rest
    }
  }

  // ---- What is left

  private Stepwise oneByOne() {
    return new Bulk<>(
        alone.build().iterator(),
        place -> requests.get(slice(place).encoded.key(place.intValue())),
        (place, reply) -> {
          V value = requests.value(reply);
          if (value != null) {
            found.put(keys.get(slice(place).firstKey + place.intValue()), value);
          }
        },
        port,
        wake);
  }

  private Slice slice(long place) {
    return slices.get((int) (place >>> Integer.SIZE));
  }
}
