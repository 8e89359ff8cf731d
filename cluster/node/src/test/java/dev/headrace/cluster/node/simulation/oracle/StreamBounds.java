package dev.headrace.cluster.node.simulation.oracle;

import dev.headrace.cluster.node.simulation.World;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.entry.EntryView;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one stream has on its way and has not let go, counted where it passes: requests and batches
 * on the network, and the buffers of its own node. Nothing here comes from the credit that the
 * stream counts itself.
 *
 * <p>Two things may exceed what is set. An entry that is larger than a node's share travels alone;
 * and when entries that have expired are looked up again, one may have become larger than its whole
 * batch was. Requests that were abandoned for a newer table do not count as nodes that are asked.
 */
public final class StreamBounds {
  private final World world;
  private final int batchSize;
  private final int batchBytes;
  private final int parallelism;
  private final List<Held> held = new ArrayList<>();

  StreamBounds(World world, int batchSize, int batchBytes, int parallelism) {
    this.world = world;
    this.batchSize = batchSize;
    this.batchBytes = batchBytes;
    this.parallelism = parallelism;
  }

  /** A request, then its batch. */
  public final class Held {
    private final @Nullable ReadRequest request; // null for one to the stream's own node
    private final @Nullable ByteBuffer memory; // of a batch of the stream's own node
    private int entries;
    private long bytes;
    private boolean inFlight;

    private Held(ReadRequest request) {
      this.request = request;
      this.memory = null;
      this.entries = request.maxEntries();
      this.bytes = request.maxBytes();
      this.inFlight = true;
    }

    private Held(ByteBuffer memory) {
      this.request = null;
      this.memory = memory;
    }

    private boolean isAsking(long epoch) {
      return inFlight && request != null && request.epoch() == epoch && request.keys() == null;
    }

    /** Whether it may be an entry that has become larger while it waited. */
    private boolean mayBeRenewed() {
      return request == null ? entries == 1 : request.alone() && request.keys() != null;
    }

    /** The batch has arrived. */
    public void answered(int ofEntries, int ofBytes) {
      world.check(
          ofEntries <= entries && ofBytes <= bytes,
          () ->
              "a batch has %d entries and %d bytes where %d and %d were asked for"
                  .formatted(ofEntries, ofBytes, entries, bytes));
      entries = ofEntries;
      bytes = ofBytes;
      inFlight = false;
    }

    /** The batch was released, or there is none. */
    public void released() {
      held.remove(this);
    }

    /** A node answers itself at once, so that a buffer is filled when anybody looks. */
    private void count() {
      if (memory != null && bytes == 0) {
        bytes = memory.limit();
        EntryView view = new EntryView();
        for (int at = 0; at < bytes; entries++) {
          at = view.parse(memory, at, memory.limit());
        }
      }
    }
  }

  /** The stream asks another node. */
  public Held asked(ReadRequest request) {
    Held asked = new Held(request);
    held.add(asked);
    check();
    int asking = 0;
    for (Held each : held) {
      asking += each.isAsking(request.epoch()) ? 1 : 0;
    }
    int nodes = asking;
    world.check(
        nodes <= Math.min(parallelism, batchSize),
        () ->
            "a stream asks %d nodes at a parallelism of %d and a batch size of %d"
                .formatted(nodes, parallelism, batchSize));
    return asked;
  }

  /** The stream's own node has a buffer for its answer. */
  public Held allocated(ByteBuffer memory) {
    Held own = new Held(memory);
    held.add(own);
    return own;
  }

  /** Looks whether it is more than the settings allow. */
  public void check() {
    int entries = 0;
    long bytes = 0;
    long largest = 0;
    int several = 0;
    for (Held each : held) {
      each.count();
      entries += each.entries;
      largest = Math.max(largest, each.bytes);
      if (!each.mayBeRenewed()) {
        bytes += each.bytes;
        several += each.bytes > 0 ? 1 : 0;
      }
    }
    long mostAlone = Math.max(batchBytes, SizedCodec.LARGEST_BYTES);
    long mostBytes = several > 1 ? batchBytes : mostAlone;
    if (entries > batchSize || bytes > mostBytes || largest > mostAlone) {
      String text =
          "a stream has %d of %d entries and %d of %d bytes buffered or in flight, up to %d at once"
              .formatted(entries, batchSize, bytes, mostBytes, largest);
      world.check(false, text);
    }
  }
}
