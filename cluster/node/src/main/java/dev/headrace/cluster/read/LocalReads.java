package dev.headrace.cluster.read;

import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadPort;
import dev.headrace.stream.batch.ReadRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands a node's requests to itself to the service on the calling thread, and passes on those to
 * other nodes. Most are answered before {@link #read} returns; those that call functions are later,
 * on another thread. Thread-safe.
 */
public final class LocalReads implements ReadPort {
  private static final Logger LOG = LoggerFactory.getLogger(LocalReads.class);

  private final NodeId self;
  private final ReadService service;
  private final BatchBuffers buffers;
  private final ReadPort others;

  /**
   * @param service answers for this node
   * @param buffers memory for its answers
   * @param others sends requests to other nodes
   */
  public LocalReads(NodeId self, ReadService service, BatchBuffers buffers, ReadPort others) {
    this.self = self;
    this.service = service;
    this.buffers = buffers;
    this.others = others;
  }

  @Override
  public void read(NodeId node, ReadRequest request, ReadHandler handler) {
    if (!node.equals(self)) {
      others.read(node, request, handler);
      return;
    }
    LocalReply reply = new LocalReply(buffers, request, handler);
    try {
      service.read(request, reply);
    } catch (RuntimeException | Error e) {
      LOG.error("A read of this node's cache " + request.cache() + " failed", e);
      reply.abandon(e);
    }
  }
}
