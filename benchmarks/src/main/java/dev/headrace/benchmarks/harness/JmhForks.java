package dev.headrace.benchmarks.harness;

/** What all forks of JMH have in common: heap, and no difference between systems. */
public final class JmhForks {

  /** The least heap. */
  public static final String LEAST_HEAP = "-Xms" + Fork.HEAP;

  /** The greatest heap. */
  public static final String GREATEST_HEAP = "-Xmx" + Fork.HEAP;

  /** Nodes bind addresses of IPv4. */
  public static final String IPV4 = "-Djava.net.preferIPv4Stack=true";

  /** Lets a system that needs packages of the JDK opened do so, see {@code ModuleOpener}. */
  public static final String ATTACH = "-Djdk.attach.allowAttachSelf=true";

  /** Some systems leave threads behind that would keep the fork for half a minute. */
  public static final String EXIT = "-Djmh.shutdownTimeout=1";

  /** A step of this waiting, in seconds. */
  public static final String EXIT_STEP = "-Djmh.shutdownTimeout.step=1";

  private JmhForks() {}
}
