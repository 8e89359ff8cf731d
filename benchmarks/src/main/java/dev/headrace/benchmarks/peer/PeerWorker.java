package dev.headrace.benchmarks.peer;

import dev.headrace.api.Security;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.Message;
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

  private final Peer peer;
  private @Nullable Entries entries; // set by "load"

  private PeerWorker(Peer peer) {
    this.peer = peer;
  }

  /** Serves commands until standard input ends. */
  public static void main(String[] arguments) throws IOException {
    Contender contender = Contender.of(arguments[0]);
    Security security =
        arguments.length == 1 ? Security.none() : TlsFiles.in(Path.of(arguments[1]));
    try (Peer peer = contender.create(security)) {
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

  private Message start(Message message) {
    peer.start(message.whole("nodes"));
    return Message.of("started").with("version", peer.version());
  }

  private Message load(Message message) {
    Entries loaded = new Entries(message.whole("entries"), message.whole("bytes"));
    peer.load(loaded);
    entries = loaded;
    return Message.of("loaded");
  }

  private Walks walks(Contender contender, Message message) {
    return new Walks(
        peer,
        Vantage.valueOf(message.text("vantage")),
        contender.mode(message.text("mode")),
        message.whole("batch"),
        message.whole("threads"),
        loaded());
  }

  private Message operate(Message message) throws InterruptedException {
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
