package dev.headrace.benchmarks.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Worker;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Map;

/**
 * The main class of a fork that tells what one holder's entries take. Its argument is {@code store}
 * or {@code map}; its only command is {@code load entries bytes}.
 */
public final class StoreMemoryWorker {

  private static final int COLLECTIONS = 3;

  private final Holder holder;

  private StoreMemoryWorker(Holder holder) {
    this.holder = holder;
  }

  /** Serves commands until standard input ends. */
  public static void main(String[] arguments) throws IOException {
    StoreMemoryWorker worker = new StoreMemoryWorker(Holder.of(arguments[0]));
    Worker.serve(Map.of("load", worker::load));
  }

  private HarnessMessage load(HarnessMessage message) {
    Entries loaded = new Entries(message.whole("entries"), message.whole("bytes"));
    double before = heldBytes();
    for (int i = 0; i < loaded.count(); i++) {
      // A map keeps its keys, so every key is one of its own.
      holder.put(new String(loaded.key(i).getBytes(ISO_8859_1), ISO_8859_1), loaded.value(i));
    }
    return HarnessMessage.of("done")
        .with("held", heldBytes() - before)
        .with("accounted", holder.accountedBytes());
  }

  /** What the heap holds after collections. */
  private static double heldBytes() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
