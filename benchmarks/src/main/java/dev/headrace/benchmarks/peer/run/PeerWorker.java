package dev.headrace.benchmarks.peer.run;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Worker;
import dev.headrace.benchmarks.peer.SystemUnderTest;
import dev.headrace.benchmarks.peer.Vantage;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The main class of a fork that measures of one system what is no rate. Its argument is the
 * system's label.
 *
 * <p>Commands: {@code start nodes}, {@code load entries bytes}, {@code first}, {@code allocate} and
 * {@code held} (see {@link Walks}).
 */
public final class PeerWorker {

  private final SystemUnderTest peer;
  private @Nullable Entries entries; // set by "load"

  private PeerWorker(SystemUnderTest peer) {
    this.peer = peer;
  }

  /** Serves commands until standard input ends. */
  public static void main(String[] arguments) throws IOException {
    Contender contender = Contender.of(arguments[0]);
    try (SystemUnderTest peer = contender.create()) {
      new PeerWorker(peer).serve(contender);
    }
    System.exit(0); // a system that left a thread behind must not keep the fork alive
  }

  private void serve(Contender contender) throws IOException {
    Worker.serve(
        Map.of(
            "start",
            this::start,
            "load",
            this::load,
            "first",
            message -> walks(contender, message).first(message.whole("samples")),
            "allocate",
            message -> walks(contender, message).allocate(message.whole("passes")),
            "held",
            message -> walks(contender, message).held()));
  }

  private HarnessMessage start(HarnessMessage message) {
    peer.start(message.whole("nodes"));
    return HarnessMessage.of("started").with("version", peer.version());
  }

  private HarnessMessage load(HarnessMessage message) {
    Entries loaded = new Entries(message.whole("entries"), message.whole("bytes"));
    peer.load(loaded);
    entries = loaded;
    return HarnessMessage.of("loaded");
  }

  private Walks walks(Contender contender, HarnessMessage message) {
    return new Walks(
        peer,
        Vantage.valueOf(message.text("vantage")),
        contender.usualWalk().withBatch(message.whole("batch")),
        loaded());
  }

  private Entries loaded() {
    if (entries == null) {
      throw new IllegalStateException("Nothing is loaded yet: send \"load\" first");
    }
    return entries;
  }
}
