package dev.headrace.stream.protocol;

import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.protocol.StreamMachine.Effects;
import dev.headrace.stream.protocol.StreamMachine.Source;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Divides a stream's credit among the nodes that are asked.
 *
 * <p>Up to {@code parallelism} nodes are asked at once. The batch size and the byte budget are
 * divided among them; a node is asked for half of its share at a time, so that one half travels
 * while the other is handed over. When a node has finished, the others' shares grow. An entry
 * larger than a share travels alone: nothing more is asked for until nothing is buffered or in
 * flight. Owned by the drain.
 */
final class Shares {

  /** A request to this node is not larger, since no wire needs to be kept busy but a cache warm. */
  static final int LOCAL_REQUEST_BYTES = 64 << 10;

  private final StreamOptions options;
  private final Source source;
  private final Effects effects;
  private final Credit credit;
  private final List<NodeRead> active = new ArrayList<>();

  Shares(StreamOptions options, Source source, Effects effects) {
    this.options = options;
    this.source = source;
    this.effects = effects;
    this.credit = new Credit(options.batchSize(), options.batchBytes());
  }

  Credit credit() {
    return credit;
  }

  /** Whether some node has not answered yet. */
  boolean isWaiting() {
    for (NodeRead node : active) {
      if (node.inFlight != null) {
        return true;
      }
    }
    return false;
  }

  /** Sends every request that the credit allows now. */
  void advance(Planner plan, Progress progress) {
    activate(plan);
    if (active.isEmpty()) {
      return;
    }
    int share = options.batchSize() / active.size();
    int shareBytes = options.batchBytes() / active.size();
    for (NodeRead node : active) {
      if (node.nextEntryBytes > shareBytes && node.mayAsk()) {
        if (credit.isUntouched()) {
          long bytes = Math.max(node.nextEntryBytes, options.batchBytes());
          send(plan, progress, node, new Allowance(options.batchSize(), (int) bytes, true));
        }
        return;
      }
    }
    for (NodeRead node : active) {
      Allowance due = node.mayAsk() ? due(node, share, shareBytes) : null;
      if (due != null) {
        send(plan, progress, node, due);
      }
    }
  }

  /** Nodes that have finished make room for others. */
  private void activate(Planner plan) {
    for (NodeRead node : active) {
      node.active = node.hasWork();
    }
    active.removeIf(node -> !node.active);
    int mostActive =
        Math.min(options.parallelism(), Math.min(options.batchSize(), options.batchBytes()));
    List<NodeRead> nodes = plan.nodes();
    for (int i = 0; i < nodes.size() && active.size() < mostActive; i++) {
      NodeRead node = nodes.get(i);
      if (!node.active && !node.queue.isEmpty()) {
        node.active = true;
        active.add(node);
      }
    }
  }

  /** How much a node is asked for: half of its share, when half of it is free; else null. */
  private @Nullable Allowance due(NodeRead node, int share, int shareBytes) {
    int free = Math.min(share - node.heldEntries, credit.freeEntries());
    long freeBytes = Math.min(shareBytes - node.heldBytes, credit.freeBytes());
    long known = node.nextEntryBytes;
    long enoughBytes = known > 0 ? known : Math.max(1, shareBytes / 2);
    if (free < Math.max(1, share / 2) || freeBytes < enoughBytes) {
      return null;
    }
    long bytes = known > 0 ? freeBytes : Math.min(freeBytes, (shareBytes + 1) / 2);
    if (node.local && known == 0) {
      bytes = Math.min(bytes, LOCAL_REQUEST_BYTES);
    }
    return new Allowance(Math.min(free, (share + 1) / 2), (int) bytes, false);
  }

  private void send(Planner plan, Progress progress, NodeRead node, Allowance allowance) {
    int first = node.queue.get(0);
    KeySelection keys = options.keys();
    byte[][] chunk = keys == null ? null : keys.behind(first, progress.received(first));
    int count = chunk == null ? segmentsToAsk(progress, node, allowance.entries) : 1;
    int[] segments = new int[count];
    int[] incarnations = new int[count];
    for (int i = 0; i < count; i++) {
      segments[i] = node.queue.get(i);
      incarnations[i] = progress.incarnation(segments[i]);
    }
    credit.draw(node, allowance.entries, allowance.bytes, allowance.alone);
    node.inFlight =
        effects.send(
            node,
            new ReadRequest(
                source.cache(),
                source.format(),
                plan.view().epoch(),
                segments,
                incarnations,
                progress.received(first),
                allowance.entries,
                allowance.bytes,
                allowance.alone,
                source.projection(),
                chunk));
  }

  /** Only the first segment may have been begun; and a small request names few segments. */
  private static int segmentsToAsk(Progress progress, NodeRead node, int entries) {
    int most = Math.min(ReadRequest.MAX_SEGMENTS, Math.max(16, entries));
    int count = 1;
    while (count < Math.min(most, node.queue.size())
        && progress.received(node.queue.get(count)).isStart()) {
      count++;
    }
    return count;
  }

  /**
   * What one request may bring.
   *
   * @param alone whether it may exceed the budget, nothing else being held
   */
  private record Allowance(int entries, int bytes, boolean alone) {}
}
