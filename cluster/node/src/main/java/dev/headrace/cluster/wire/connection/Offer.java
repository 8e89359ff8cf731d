package dev.headrace.cluster.wire.connection;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * A connection that a node has opened to this one, as long as it is not decided who handles it.
 *
 * @param encryption TLS of the connection; null without
 * @param number of the connection, in the order in which they were accepted
 * @param waits how often it has been told to wait
 */
public record Offer(Channel channel, @Nullable Encryption encryption, long number, int waits) {

  Offer again() {
    return new Offer(channel, encryption, number, waits + 1);
  }
}
