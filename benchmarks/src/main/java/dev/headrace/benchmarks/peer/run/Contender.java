package dev.headrace.benchmarks.peer.run;

import dev.headrace.api.Security;
import dev.headrace.benchmarks.harness.BuildFolder;
import dev.headrace.benchmarks.peer.IsolatedLoader;
import dev.headrace.benchmarks.peer.SystemUnderTest;
import dev.headrace.benchmarks.peer.TlsFiles;
import dev.headrace.benchmarks.peer.WalkSettings;
import dev.headrace.benchmarks.peer.redis.RedisPeer;
import dev.headrace.benchmarks.peer.redis.RedisServers;
import dev.headrace.benchmarks.peer.system.CoherencePeer;
import dev.headrace.benchmarks.peer.system.HazelcastPeer;
import dev.headrace.benchmarks.peer.system.HeadracePeer;
import dev.headrace.benchmarks.peer.system.IgnitePeer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The systems that can be measured, with what a benchmark must know of each. */
public enum Contender {
  /** This project. */
  HEADRACE,
  /** This project, its nodes with TLS between them. */
  HEADRACE_TLS,
  /** Infinispan, embedded. */
  INFINISPAN,
  /** Hazelcast, members embedded. */
  HAZELCAST,
  /** Redis, one server in a process of its own. */
  REDIS,
  /** Redis, a cluster of three servers in processes of their own. */
  REDIS_CLUSTER,
  /** Apache Ignite, nodes embedded. */
  IGNITE,
  /** Oracle Coherence, members embedded, each in a class loader of its own. */
  COHERENCE;

  /** Headrace and those that stand beside it. */
  public static final List<Contender> COMPARED =
      List.of(HEADRACE, INFINISPAN, HAZELCAST, REDIS, REDIS_CLUSTER, IGNITE, COHERENCE);

  /** Those that stand beside Headrace. */
  public static final List<Contender> PEERS = COMPARED.subList(1, COMPARED.size());

  /** The name in parameters and results. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Its ways to walk over a cache; the first is what a user gets who asks for nothing. */
  public List<String> ways() {
    return switch (this) {
      case HEADRACE, HEADRACE_TLS, INFINISPAN -> List.of("stream");
      case HAZELCAST -> List.of("iterator", "entry-set");
      case REDIS, REDIS_CLUSTER -> List.of("scan");
      case IGNITE -> List.of("scan-query");
      case COHERENCE -> List.of("entry-set", "by-member", "stream");
    };
  }

  /** How a user walks who asks for nothing. */
  public WalkSettings usualWalk() {
    return new WalkSettings(ways().get(0), 0, false, true);
  }

  /** Whether walks can be told to ask one node after the other, and not to mind moving segments. */
  public boolean hasDistributions() {
    return this == HEADRACE || this == HEADRACE_TLS || this == INFINISPAN;
  }

  /** Whether a reader is a member of the cluster, so that it can hold data or none. */
  public boolean isEmbedded() {
    return this != REDIS && this != REDIS_CLUSTER;
  }

  /** Whether a walk over unchanged content may bring an entry twice. */
  public boolean mayRepeat() {
    return !isEmbedded();
  }

  /** What a walk promises while nodes come and go, in the words of the system's documentation. */
  public String guarantee(WalkSettings settings) {
    return switch (this) {
      case HEADRACE, HEADRACE_TLS, INFINISPAN ->
          settings.rehashAware() ? "exactly once" : "at most once";
      case HAZELCAST ->
          settings.way().equals("entry-set")
              ? "a copy of the whole map before the first entry"
              : "none while partitions move";
      case REDIS -> "at least once, duplicates possible; one copy of the data";
      case REDIS_CLUSTER -> "at least once while no slot moves; one copy of the data";
      case IGNITE -> "none documented while partitions move";
      case COHERENCE ->
          settings.way().equals("by-member")
              ? "none documented while partitions move; a copy of one member at a time"
              : "a copy of the whole cache before the first entry";
    };
  }

  /** What an acknowledged write has reached. */
  public String writeGuarantee() {
    return isEmbedded() ? "both owners" : "one server's memory";
  }

  /** Why the system cannot run here, with what can be done about it; empty if it can. */
  public Optional<String> missing() {
    return isEmbedded() ? Optional.empty() : RedisServers.missing();
  }

  /** The version that runs, as the class path has it. */
  public String version() {
    return switch (this) {
      case HEADRACE, HEADRACE_TLS -> "built from source";
      case REDIS, REDIS_CLUSTER -> RedisServers.version();
      case INFINISPAN -> BuildFolder.library("infinispan-core");
      case HAZELCAST -> BuildFolder.library("hazelcast");
      case IGNITE -> BuildFolder.library("ignite-core");
      case COHERENCE -> BuildFolder.library("coherence");
    };
  }

  /** Creates the system; nothing runs yet. */
  public SystemUnderTest create() {
    return switch (this) {
      case HEADRACE -> new HeadracePeer(Security.none());
      case HEADRACE_TLS -> {
        Path files = BuildFolder.folder("security");
        TlsFiles.make(files);
        yield new HeadracePeer(TlsFiles.in(files));
      }
      case INFINISPAN ->
          new IsolatedLoader(
                  BuildFolder.file("infinispan"),
                  List.of(
                      "dev.headrace.benchmarks.peer.infinispan.",
                      "org.infinispan.",
                      "org.jgroups."))
              .make(
                  "dev.headrace.benchmarks.peer.infinispan.InfinispanPeer", SystemUnderTest.class);
      case HAZELCAST -> new HazelcastPeer();
      case REDIS -> new RedisPeer(1);
      case REDIS_CLUSTER -> new RedisPeer(3);
      case IGNITE -> new IgnitePeer();
      case COHERENCE -> new CoherencePeer();
    };
  }

  /** The contender of this label. */
  public static Contender of(String label) {
    return Arrays.stream(values())
        .filter(contender -> contender.label().equals(label))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("Unknown system " + label + "; known: " + labels()));
  }

  /** The labels of all contenders. */
  public static List<String> labels() {
    return labels(List.of(values()));
  }

  /** The labels of some contenders. */
  public static List<String> labels(List<Contender> contenders) {
    return contenders.stream().map(Contender::label).toList();
  }
}
