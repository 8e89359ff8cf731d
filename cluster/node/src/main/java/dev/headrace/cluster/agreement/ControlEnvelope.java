package dev.headrace.cluster.agreement;

import dev.headrace.api.error.WireException;
import dev.headrace.rebalance.agreement.ControlMessage;
import dev.headrace.rebalance.table.ProtocolVersions;
import java.nio.ByteBuffer;

/**
 * A control message with the sender's times; see {@link ClusterClock}.
 *
 * @param time the sender's clocks
 */
public record ControlEnvelope(ClusterClock.Stamp time, ControlMessage message) {
  private static final int TIME_BYTES = 4 * Long.BYTES;

  /**
   * The binary form.
   *
   * @param protocol the version of the protocol that the receiver knows
   */
  public byte[] encode(int protocol) {
    byte[] body = message.encode(protocol);
    return ByteBuffer.allocate(TIME_BYTES + body.length)
        .putLong(time.clusterNanos())
        .putLong(time.sentNanos())
        .putLong(time.echoNanos())
        .putLong(time.heldNanos())
        .put(body)
        .array();
  }

  /**
   * Reads the binary form.
   *
   * @throws WireException if the bytes are malformed
   */
  public static ControlEnvelope decode(byte[] bytes) {
    if (bytes.length < TIME_BYTES) {
      throw new WireException("A control message of " + bytes.length + " bytes is truncated");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    ClusterClock.Stamp time =
        new ClusterClock.Stamp(in.getLong(), in.getLong(), in.getLong(), in.getLong());
    return new ControlEnvelope(time, ControlMessage.decode(in, ProtocolVersions.OWN));
  }
}
