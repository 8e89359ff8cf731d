package dev.headrace.cluster.node;

import dev.headrace.api.error.WireException;
import dev.headrace.rebalance.ledger.ControlMessage;
import java.nio.ByteBuffer;

/**
 * A control message with the sender's cluster time, from which a joining node takes its own.
 *
 * @param clusterMillis the sender's cluster time when it sent the message
 */
record ControlEnvelope(long clusterMillis, ControlMessage message) {

  byte[] encode() {
    byte[] body = message.encode();
    return ByteBuffer.allocate(Long.BYTES + body.length).putLong(clusterMillis).put(body).array();
  }

  /**
   * Reads the binary form.
   *
   * @throws WireException if the bytes are not an envelope's
   */
  static ControlEnvelope decode(byte[] bytes) {
    if (bytes.length < Long.BYTES) {
      throw new WireException("A control message of " + bytes.length + " bytes is truncated");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    return new ControlEnvelope(in.getLong(), ControlMessage.decode(in));
  }
}
