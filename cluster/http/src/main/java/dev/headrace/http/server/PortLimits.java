package dev.headrace.http.server;

import java.time.Duration;

/**
 * What a port lets its clients use.
 *
 * @param connections the most connections at a time
 * @param bodyBytes the most bytes in the body of a request
 * @param allBodyBytes the most bytes in the bodies of all requests that are being read or answered
 * @param allReplyBytes the most bytes in replies that are known as a whole and wait for their
 *     readers; a single one may have more
 * @param requestTimeout how long a request line and its headers may take to arrive, from the
 *     opening of the connection on
 * @param bodyTimeout how long a body may take to arrive, beyond what it takes at the slowest pace
 * @param idleTimeout how long a connection may wait between a reply and the next request
 * @param stallTimeout how long bytes of a reply may wait for a client that takes nothing
 * @param heartbeat after how long without bytes a quiet reply says that it goes on
 */
public record PortLimits(
    int connections,
    int bodyBytes,
    long allBodyBytes,
    long allReplyBytes,
    Duration requestTimeout,
    Duration bodyTimeout,
    Duration idleTimeout,
    Duration stallTimeout,
    Duration heartbeat) {

  /** The most bytes of a request line. */
  public static final int LINE_BYTES = 8 << 10;

  /** The most bytes of all headers of a request: enough for any token. */
  public static final int HEADER_BYTES = 64 << 10;

  /** The usual {@link #bodyTimeout}. */
  public static final Duration BODY_TIMEOUT = Duration.ofSeconds(20);

  /** The slowest pace at which a body may arrive, in bytes per second, after a while. */
  static final int BODY_BYTES_PER_SECOND = 4 << 10;
}
