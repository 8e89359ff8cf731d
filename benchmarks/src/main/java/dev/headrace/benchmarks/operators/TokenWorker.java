package dev.headrace.benchmarks.operators;

import dev.headrace.api.Security;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.api.stream.TokenedElement;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Worker;
import dev.headrace.benchmarks.harness.WrongContentException;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.system.HeadracePeer;
import io.reactivex.rxjava3.core.Flowable;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The main class of a fork. Its command {@code tokens segments entries every} streams all entries
 * and makes a resume token after each batch, and after each so many entries; the reply says how
 * long the longest were.
 */
public final class TokenWorker {

  private static final int DATA_NODES = 6;
  private static final int VALUE_BYTES = 100;

  private TokenWorker() {}

  /** Serves commands until standard input ends. */
  public static void main(String[] arguments) throws IOException {
    Worker.serve(Map.of("tokens", TokenWorker::tokens));
    System.exit(0); // nothing that was left running must keep the fork alive
  }

  private static HarnessMessage tokens(HarnessMessage message) {
    int count = message.whole("entries");
    int every = message.whole("every");
    AtomicInteger ofBatches = new AtomicInteger();
    int ofEntries = 0;
    try (HeadracePeer cluster = new HeadracePeer(Security.none(), message.whole("segments"))) {
      cluster.start(DATA_NODES);
      cluster.load(new Entries(count, VALUE_BYTES));
      StreamListener listener =
          new StreamListener() {
            @Override
            public void batchConsumed(Supplier<String> token) {
              ofBatches.accumulateAndGet(token.get().length(), Math::max);
            }
          };
      Flowable<TokenedElement<Map.Entry<String, byte[]>>> tokened =
          cluster.cache(Vantage.REMOTE_ONLY).stream()
              .listener(listener)
              .entries()
              .withTokens()
              .toFlowable();
      int delivered = 0;
      for (TokenedElement<Map.Entry<String, byte[]>> element : tokened.blockingIterable()) {
        if (++delivered % every == 0) {
          ofEntries = Math.max(ofEntries, element.token().length());
        }
      }
      if (delivered != count) {
        throw new WrongContentException(delivered + " of " + count + " entries were delivered");
      }
    }
    return HarnessMessage.of("done").with("batches", ofBatches.get()).with("each", ofEntries);
  }
}
