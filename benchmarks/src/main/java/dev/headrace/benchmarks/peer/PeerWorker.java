package dev.headrace.benchmarks.peer;

import dev.headrace.api.Security;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Throughput;
import dev.headrace.benchmarks.harness.Worker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The main class of a fork that measures one system. Its arguments are the system's label and, for
 * nodes that use TLS, the folder with its files.
 *
 * <p>Commands: {@code start nodes}, {@code load entries bytes}, {@code iterate}, {@code first},
 * {@code allocate}, {@code held} (see {@link Walks}), {@code operate} (see {@link Operations}).
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
    Security security =
        arguments.length == 1 ? Security.none() : TlsFiles.in(Path.of(arguments[1]));
    try (SystemUnderTest peer = contender.create(security)) {
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
            "iterate",
            message -> walks(contender, message).iterate(Throughput.Schedule.of(message)),
            "first",
            message -> walks(contender, message).first(message.whole("samples")),
            "allocate",
            message -> walks(contender, message).allocate(message.whole("passes")),
            "held",
            message -> walks(contender, message).held(),
            "operate",
            this::operate));
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
        contender.mode(message.text("mode")),
        message.whole("batch"),
        message.whole("threads"),
        loaded());
  }

  private HarnessMessage operate(HarnessMessage message) throws InterruptedException {
    View view = peer.view(Vantage.valueOf(message.text("vantage")));
    return new Operations(view, loaded())
        .measure(
            message.text("operation"), message.whole("threads"), Throughput.Schedule.of(message));
  }

  private Entries loaded() {
    if (entries == null) {
      throw new IllegalStateException("Nothing is loaded yet: send \"load\" first");
    }
    return entries;
  }
}
