package dev.headrace.cluster.membership;

import dev.headrace.cluster.membership.connection.NodeAddress;
import dev.headrace.stream.NodeId;
import java.util.Objects;
import java.util.function.Predicate;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.stack.Protocol;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Loses messages from some nodes and to them, as a cut network does; for tests. It stands on the
 * transport, below whatever looks for nodes or notices that one is silent.
 *
 * <p>JGroups' own {@code DISCARD} opens a window on a desktop, and takes no rule.
 */
final class CutProtocol extends Protocol {
  private final Predicate<NodeId> cut;

  /**
   * Loses nothing while nobody is cut off.
   *
   * @param cut whether a node is cut off from this one; for this node itself, whether it is from
   *     all
   */
  CutProtocol(Predicate<NodeId> cut) {
    this.cut = cut;
  }

  @Override
  public @Nullable Object down(Message message) {
    Address to = message.getDest();
    if (to == null && isCut(local_addr)) {
      return loopBack(message);
    }
    return loses(to) ? null : down_prot.down(message);
  }

  /** Brings a message to all members to this node only. */
  private @Nullable Object loopBack(Message message) {
    if (message.isFlagSet(Message.TransientFlag.DONT_LOOPBACK)) {
      return null;
    }
    if (message.getSrc() == null) {
      message.setSrc(local_addr);
    }
    return up_prot.up(message);
  }

  @Override
  public @Nullable Object up(Message message) {
    return loses(message.getSrc()) ? null : up_prot.up(message);
  }

  @Override
  public void up(MessageBatch batch) {
    if (!loses(batch.getSender())) {
      up_prot.up(batch);
    }
  }

  private boolean loses(@Nullable Address node) {
    return !Objects.equals(node, local_addr) && isCut(node);
  }

  private boolean isCut(@Nullable Address node) {
    return node instanceof UUID && cut.test(NodeAddress.nodeId(node));
  }
}
