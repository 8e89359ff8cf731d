package dev.headrace.benchmarks.peer.system;

import dev.headrace.benchmarks.harness.BuildFolder;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.peer.ClusterMember;
import dev.headrace.benchmarks.peer.IsolatedLoader;
import dev.headrace.benchmarks.peer.LoopbackPorts;
import dev.headrace.benchmarks.peer.SystemUnderTest;
import dev.headrace.benchmarks.peer.TradeView;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.View;
import dev.headrace.benchmarks.peer.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Oracle Coherence CE with embedded members: six that store entries and one that does not.
 *
 * <p>The cache is that of Coherence's own default configuration, partitioned with one backup, but
 * in its profile {@code thin}: the default puts a near cache before it, which would answer from the
 * caller's own memory, and perhaps out of date, as no other system here does. The serializer is
 * POF, which its manual recommends.
 *
 * <p>Each member has a class loader of its own, the only way to have several in a JVM; so each has
 * compiled code of its own too, as in a JVM of its own, and needs more of a warm-up.
 */
public final class CoherencePeer implements SystemUnderTest {

  private static final String MEMBER = "dev.headrace.benchmarks.peer.coherence.CoherenceMember";

  /** Says how trades are encoded, beside Coherence's own types. */
  private static final String POF_CONFIG =
      "dev/headrace/benchmarks/peer/coherence/trades-pof-config.xml";

  private static final List<String> ISOLATED =
      List.of("dev.headrace.benchmarks.peer.coherence.", "com.tangosol.", "com.oracle.coherence.");

  /** Partitions of a cache by default. */
  private static final int PARTITIONS = 257;

  /** The balance is near enough when no member lacks more partitions than these. */
  private static final int LACKING = 3;

  private final List<ClusterMember> members = new ArrayList<>();

  @Override
  public String version() {
    return members.get(0).version();
  }

  @Override
  public void start(int dataNodes) {
    int[] ports = LoopbackPorts.free(2);
    System.setProperty("coherence.cluster", "coherence-" + ports[0]);
    System.setProperty("coherence.wka", "127.0.0.1");
    System.setProperty("coherence.localhost", "127.0.0.1");
    System.setProperty("coherence.clusterport", Integer.toString(ports[0]));
    System.setProperty("coherence.localport", Integer.toString(ports[1]));
    System.setProperty("coherence.ttl", "0");
    System.setProperty("coherence.profile", "thin");
    System.setProperty("coherence.pof.enabled", "true");
    System.setProperty("coherence.pof.config", POF_CONFIG);
    System.setProperty("coherence.management", "none");
    System.setProperty("coherence.shutdownhook", "none");
    System.setProperty("coherence.log", "jdk");
    System.setProperty("coherence.log.level", "1");
    System.setProperty("coherence.distributed.localstorage", "true");
    members.add(join());
    members.addAll(together(dataNodes - 1));
    System.setProperty("coherence.distributed.localstorage", "false");
    members.add(join());
    int least = PARTITIONS / dataNodes - LACKING;
    Waiting.until(
        "Coherence's members to share the partitions",
        () -> members.stream().limit(dataNodes).allMatch(member -> member.partitions() >= least));
  }

  /** Members that join at the same time: each waits most of the time that it takes. */
  private static List<ClusterMember> together(int count) {
    List<CompletableFuture<ClusterMember>> joining = new ArrayList<>();
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      for (int i = 0; i < count; i++) {
        joining.add(CompletableFuture.supplyAsync(CoherencePeer::join, threads));
      }
      return joining.stream().map(CompletableFuture::join).toList();
    } finally {
      threads.shutdown();
    }
  }

  private static ClusterMember join() {
    IsolatedLoader loader = new IsolatedLoader(BuildFolder.file("coherence"), ISOLATED);
    Thread thread = Thread.currentThread();
    ClassLoader usual = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      ClusterMember member = loader.make(MEMBER, ClusterMember.class);
      member.start();
      return member;
    } finally {
      thread.setContextClassLoader(usual);
    }
  }

  @Override
  public void load(Entries entries) {
    members.get(0).load(entries);
  }

  @Override
  public View view(Vantage vantage) {
    return member(vantage).view();
  }

  private ClusterMember member(Vantage vantage) {
    int last = members.size() - 1;
    return members.get(vantage == Vantage.REMOTE_ONLY ? last : last - 1);
  }

  @Override
  public TradeView trades(Vantage vantage) {
    return member(vantage).trades();
  }

  @Override
  public void close() {
    for (int i = members.size() - 1; i >= 0; i--) {
      members.get(i).close();
    }
  }
}
