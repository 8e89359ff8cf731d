package dev.headrace.benchmarks.peer;

import dev.headrace.api.Security;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The systems that can be measured, with what the referee must know of each. */
public enum Contender {
  /** This project. */
  HEADRACE,
  /** Infinispan, embedded. */
  INFINISPAN,
  /** Hazelcast, members embedded. Its walks promise nothing while partitions move. */
  HAZELCAST;

  /** The name in commands and results. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Its ways to walk over a cache; the first is what a user gets who asks for nothing. */
  public List<Mode> modes() {
    return switch (this) {
      case HEADRACE, INFINISPAN ->
          List.of(
              new Mode("default", true, true),
              new Mode("sequential", true, true),
              new Mode("no-rehash", false, true),
              new Mode("sequential-no-rehash", false, true));
      case HAZELCAST ->
          List.of(
              new Mode("iterator", false, false),
              new Mode("iterator-5000", false, false),
              new Mode("entry-set", false, false));
    };
  }

  /** The mode of this name. */
  public Mode mode(String name) {
    return modes().stream()
        .filter(mode -> mode.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(label() + " has no mode " + name));
  }

  /** Arguments that its JVM needs beside the heap. */
  public List<String> jvmArguments() {
    return switch (this) {
      case HEADRACE, INFINISPAN -> List.of();
      // What Hazelcast's manual asks for on JDK 9 and later, so that it reaches its full speed.
      case HAZELCAST ->
          List.of(
              "--add-modules=java.se",
              "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
              "--add-opens=java.base/java.lang=ALL-UNNAMED",
              "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
              "--add-opens=java.management/sun.management=ALL-UNNAMED",
              "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED");
    };
  }

  /** Libraries of its own that go before the shared ones; empty for none. */
  public String libraries() {
    // Infinispan is measured with the JGroups that it was released with, not with ours.
    return this == INFINISPAN ? "benchmarks/target/infinispan/*" : "";
  }

  /**
   * Creates the system; nothing runs yet.
   *
   * @param security how Headrace's nodes know each other; the others have none
   */
  SystemUnderTest create(Security security) {
    return switch (this) {
      case HEADRACE -> new HeadracePeer(security);
      case INFINISPAN -> new InfinispanPeer();
      case HAZELCAST -> new HazelcastPeer();
    };
  }

  /** The contender of this label. */
  public static Contender of(String label) {
    return Arrays.stream(values())
        .filter(contender -> contender.label().equals(label))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("Unknown system " + label));
  }

  /** The labels of all contenders. */
  public static List<String> labels() {
    return Arrays.stream(values()).map(Contender::label).toList();
  }
}
