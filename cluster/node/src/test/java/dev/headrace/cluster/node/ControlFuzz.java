package dev.headrace.cluster.node;

import dev.headrace.api.error.WireException;
import dev.headrace.cluster.agreement.ControlEnvelope;
import dev.headrace.rebalance.table.ProtocolVersions;

/** Any bytes as a control message: refused, or one that can be written again. */
public final class ControlFuzz {
  private ControlFuzz() {}

  /** Called by Jazzer with each input. */
  public static void fuzzerTestOneInput(byte[] bytes) {
    ControlEnvelope envelope;
    try {
      envelope = ControlEnvelope.decode(bytes);
    } catch (WireException e) {
      return; // refused
    }
    envelope.encode(ProtocolVersions.OWN.newest());
  }
}
