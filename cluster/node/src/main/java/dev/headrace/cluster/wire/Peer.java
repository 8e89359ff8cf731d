package dev.headrace.cluster.wire;

import dev.headrace.cluster.message.MessageGroup;
import dev.headrace.cluster.wire.codec.MessageCodec;
import dev.headrace.cluster.wire.connection.ConnectionClass;
import dev.headrace.cluster.wire.connection.FrameReceiver;
import dev.headrace.cluster.wire.connection.Link;
import dev.headrace.cluster.wire.connection.LinkUse;
import dev.headrace.cluster.wire.connection.Wire;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * This node's connections to another node: one for messages and one for batches by each loop.
 *
 * <p>A message goes over the connection of its {@link Message#share}, so that messages about one
 * segment keep their order. A read goes over the connection that has the fewest reads under way.
 * Thread-safe.
 */
final class Peer {
  /**
   * A group's messages take no more, by what they announce: about 150 operations on small entries,
   * which keep an event loop for less than a millisecond.
   */
  static final int GROUP_BYTES = 56 << 10;

  private final MessageCodec codec = new MessageCodec();
  private final Link<Message>[] messages;
  private final ReadClient[] reads;

  Peer(Wire wire, WireSettings settings, NodeId node, WireListener listener) {
    messages = links(settings.sizes().operationLoops());
    for (int share = 0; share < messages.length; share++) {
      messages[share] =
          new Link<>(
              wire,
              node,
              ConnectionClass.OPERATIONS,
              share,
              codec,
              new MessageUse(settings, node, share, listener));
    }
    reads = new ReadClient[settings.sizes().bulkLoops()];
    for (int share = 0; share < reads.length; share++) {
      reads[share] = new ReadClient(wire, node, settings, share);
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // There are no arrays of generic types.
  private static Link<Message>[] links(int count) {
    return new Link[count];
  }

  void send(Message message) {
    link(message).send(message); // a refused message is lost with its connection
  }

  private Link<Message> link(Message message) {
    return messages[message.share() % messages.length];
  }

  /** Sends several messages, those of one connection in as few frames as they fit into. */
  void send(List<? extends Message> several) {
    if (several.size() == 1) {
      send(several.get(0));
      return;
    }
    if (messages.length == 1) {
      messages[0].send(groups(several));
      return;
    }
    Map<Link<Message>, List<Message>> shares = new LinkedHashMap<>();
    for (Message message : several) {
      shares.computeIfAbsent(link(message), none -> new ArrayList<>()).add(message);
    }
    shares.forEach((link, some) -> link.send(groups(some)));
  }

  /** Puts messages that follow each other into groups; large ones stay alone. */
  private List<Message> groups(List<? extends Message> all) {
    List<Message> frames = new ArrayList<>();
    List<Message> open = new ArrayList<>();
    long openBytes = 0;
    for (Message message : all) {
      long bytes = codec.boundBytes(message);
      if (openBytes + bytes > GROUP_BYTES || open.size() == MessageGroup.MAX_MESSAGES) {
        add(open, frames);
        open = new ArrayList<>();
        openBytes = 0;
      }
      open.add(message);
      openBytes += bytes;
    }
    add(open, frames);
    return frames;
  }

  private static void add(List<Message> group, List<Message> frames) {
    if (group.size() == 1) {
      frames.add(group.get(0));
    } else if (!group.isEmpty()) {
      frames.add(new MessageGroup(group));
    }
  }

  void read(PendingRemoteRead read) {
    int first = reads.length == 1 ? 0 : ThreadLocalRandom.current().nextInt(reads.length);
    ReadClient least = reads[first];
    for (int i = 1; i < reads.length; i++) {
      ReadClient next = reads[(first + i) % reads.length];
      if (next.pending() < least.pending()) {
        least = next;
      }
    }
    least.read(read);
  }

  /** Whether so many messages wait that a sender should hold back what is not urgent. */
  boolean congested() {
    for (Link<Message> link : messages) {
      if (link.congested()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Fails the requests that wait for answers and closes the connections.
   *
   * @param orderly whether messages that were sent before are still written
   * @return completed when the connections are closed
   */
  CompletableFuture<@Nullable Void> close(boolean orderly, Throwable cause) {
    for (ReadClient client : reads) {
      client.close(cause);
    }
    CompletableFuture<?>[] ends = new CompletableFuture<?>[messages.length];
    for (int share = 0; share < messages.length; share++) {
      ends[share] = messages[share].close(orderly, cause);
    }
    return CompletableFuture.allOf(ends);
  }

  /** This node's connection of a share; null if it has fewer. */
  @Nullable Link<Message> share(int share) {
    return share < messages.length ? messages[share] : null;
  }

  private record MessageUse(WireSettings settings, NodeId node, int share, WireListener listener)
      implements LinkUse<Message> {

    @Override
    public long maxQueuedBytes() {
      return settings.queueLimitBytes();
    }

    @Override
    public Runnable lost(Throwable cause) {
      return () -> settings.handOver().operations().execute(() -> listener.onDisconnected(node));
    }

    @Override
    public void hungUp() {
      settings.handOver().operations().execute(() -> listener.onHungUp(node));
    }

    @Override
    public FrameReceiver receiver() {
      return new MessageReceiver(node, share, settings, listener);
    }
  }
}
