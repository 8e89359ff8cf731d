package dev.headrace.benchmarks.http.node;

import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a node holds for the one stream that its port serves, by its own figures: what the stream
 * may have buffered or in flight, what was written for it and the socket has not taken, and an
 * entry in a piece that is being made. Replies to others must have no bodies from the first look
 * on, because the socket's figure is of all connections. Not thread safe.
 */
final class QueuedBytes {
  /** A piece that is being made while the reader stands still has one entry at most. */
  private static final int ENTRY_BYTES = 1_100;

  private static final Pattern STREAM =
      Pattern.compile(
          "\"bytes\":(\\d+),\"paused\":(true|false),\"creditEntries\":\\d+,\"creditBytes\":(\\d+)");

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final HttpRequest request;
  private final MeterRegistry registry;
  private final double takenBefore;
  private long ownBytes;

  /**
   * Begins before the stream does.
   *
   * @param port of the node
   * @param registry has the figures of the port
   */
  QueuedBytes(int port, MeterRegistry registry) {
    request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/v1/cluster")).build();
    this.registry = registry;
    takenBefore = taken();
  }

  private double taken() {
    return registry.get("headrace.http.sent.bytes").gauge().value();
  }

  /**
   * A look.
   *
   * @param paused whether the stream waits for its reader
   * @param bytes what the node holds for it
   */
  record Look(boolean paused, long bytes) {}

  /** Looks now. The answer to the look itself may be counted as held, too, if it is on its way. */
  Look look() throws IOException, InterruptedException {
    HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
    Matcher stream = STREAM.matcher(answer.body());
    if (answer.statusCode() != 200 || !stream.find()) {
      throw new IllegalStateException("The node serves no stream: " + answer.body());
    }
    double taken = taken() - takenBefore - ownBytes;
    ownBytes += answer.body().length(); // all ASCII
    double waiting = Math.max(0, Long.parseLong(stream.group(1)) - taken);
    long credit = Long.parseLong(stream.group(3));
    return new Look(Boolean.parseBoolean(stream.group(2)), (long) waiting + credit + ENTRY_BYTES);
  }
}
