package dev.headrace.benchmarks.http.client;

import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Worker;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The main class of the client's fork. Its commands are {@code load} with the fields of a {@link
 * LoadPlan}, {@code export port cache format}, which reads a whole cache and tells bytes and
 * seconds, and {@code stall port cache format}, which asks for one and reads nothing of it until
 * {@code resume}.
 */
public final class LoadWorker {
  /** So little that a stalled reader's node has to wait soon. */
  private static final int STALLED_RECEIVE_BYTES = 16 << 10;

  private final OpenLoopClient client;
  private @Nullable ExportReader stalled;

  private LoadWorker(OpenLoopClient client) {
    this.client = client;
  }

  /** Serves commands until standard input ends. */
  public static void main(String[] arguments) throws IOException {
    try (OpenLoopClient client = new OpenLoopClient()) {
      LoadWorker worker = new LoadWorker(client);
      Worker.serve(
          Map.of(
              "load", worker::load,
              "export", LoadWorker::export,
              "stall", worker::stall,
              "resume", worker::resume));
    }
  }

  private HarnessMessage load(HarnessMessage message) {
    return client.run(LoadPlan.of(message)).message();
  }

  private static HarnessMessage export(HarnessMessage message) throws IOException {
    long begin = System.nanoTime();
    try (ExportReader reader = reader(message, 0)) {
      return read(reader, begin);
    }
  }

  private static ExportReader reader(HarnessMessage message, int receiveBytes) throws IOException {
    return new ExportReader(
        message.whole("port"), message.text("cache"), message.text("format"), receiveBytes);
  }

  private static HarnessMessage read(ExportReader reader, long begin) throws IOException {
    long bytes = reader.rest();
    double seconds = (System.nanoTime() - begin) / 1e9;
    return HarnessMessage.of("read").with("bytes", bytes).with("seconds", seconds);
  }

  private HarnessMessage stall(HarnessMessage message) throws IOException {
    if (stalled != null) {
      throw new IllegalStateException("A reader stalls already: send \"resume\" first");
    }
    stalled = reader(message, STALLED_RECEIVE_BYTES);
    return HarnessMessage.of("stalled");
  }

  private HarnessMessage resume(HarnessMessage message) throws IOException {
    try (ExportReader reader = stalled) {
      stalled = null;
      if (reader == null) {
        throw new IllegalStateException("No reader stalls: send \"stall\" first");
      }
      return read(reader, System.nanoTime());
    }
  }
}
