package dev.headrace.cluster.image;

import dev.headrace.api.Cache;
import dev.headrace.api.Discovery;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.Security;
import dev.headrace.cluster.membership.FreePorts;
import io.reactivex.rxjava3.core.Flowable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What nodes usually do from their start to their end: they find each other in each way that needs
 * no other machine, and write, read, stream and close.
 *
 * <pre>TracedNodes LOG FOLDER</pre>
 */
public final class TracedNodes {
  private static final int ENTRIES = 500;

  private TracedNodes() {}

  /** What is cached. */
  public record Quote(String symbol, double price, List<String> tags) {}

  /** Runs; see the class. */
  public static void main(String[] arguments) throws Exception {
    int port = FreePorts.one();
    Discovery hosts = Discovery.hosts("127.0.0.1:" + port);
    twoNodes(node(hosts).membershipPort(port).build(), node(hosts).build());
    Discovery folder = new Discovery.Local(arguments[1]);
    twoNodes(node(folder).build(), node(folder).build());
    Headrace.start(node(new Discovery.Dns("localhost", port)).membershipPort(port).build()).close();
    Headrace.start(node(new Discovery.Multicast("239.12.4.7", 0)).build()).close();
    ReflectionLog.writeTo(Path.of(arguments[0]));
  }

  private static final String CLUSTER = "life-" + UUID.randomUUID();

  private static NodeSettings.Builder node(Discovery discovery) {
    return NodeSettings.builder()
        .clusterName(CLUSTER)
        .discovery(discovery)
        .security(Security.secret("0123456789abcdef"))
        .operationTimeout(Duration.ofMinutes(1));
  }

  private static void twoNodes(NodeSettings first, NodeSettings second) {
    try (Headrace one = Headrace.start(first);
        Headrace other = Headrace.start(second)) {
      write(one.cache("quotes", String.class, Quote.class));
      read(other, other.cache("quotes", String.class, Quote.class));
    }
  }

  private static void write(Cache<String, Quote> quotes) {
    Map<String, Quote> all =
        IntStream.range(0, ENTRIES)
            .mapToObj(i -> new Quote("S" + i, i, List.of("a", "b")))
            .collect(Collectors.toMap(Quote::symbol, quote -> quote));
    quotes.putAll(all);
    quotes.put("ACME", new Quote("ACME", 42.17, List.of()), Duration.ofHours(1));
    quotes.merge("ACME", new Quote("ACME", 1, List.of()), (before, added) -> added);
    quotes.remove("S0");
  }

  private static void read(Headrace node, Cache<String, Quote> quotes) {
    check(quotes.get("ACME").price() == 1);
    check(quotes.size() == ENTRIES);
    check(quotes.stream().entries().toFlowable().count().blockingGet() == ENTRIES);
    check(
        Flowable.fromPublisher(quotes.changes().withContent().changes())
                .take(ENTRIES)
                .count()
                .blockingGet()
            == ENTRIES);
    check(!node.status().members().isEmpty());
    check(!node.caches().join().caches().isEmpty());
    check(node.repair().join() != null);
  }

  private static void check(boolean holds) {
    if (!holds) {
      throw new IllegalStateException("It went otherwise than it should");
    }
  }
}
