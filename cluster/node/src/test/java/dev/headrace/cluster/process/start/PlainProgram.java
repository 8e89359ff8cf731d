package dev.headrace.cluster.process.start;

import dev.headrace.api.Cache;
import dev.headrace.api.Discovery;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import io.reactivex.rxjava3.core.Flowable;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/** A program as a user writes it, with two nodes that write to each other. */
final class PlainProgram {
  private static final int ENTRIES = 10_000;

  private PlainProgram() {}

  /**
   * Runs it.
   *
   * @param args the folder in which the nodes meet
   */
  public static void main(String[] args) {
    Logger.getLogger("").setLevel(Level.WARNING);
    try (Headrace one = Headrace.start(settings("one", args[0]));
        Headrace two = Headrace.start(settings("two", args[0]))) {
      Cache<Integer, String> cache = one.cache("plain", Integer.class, String.class);
      cache.put(-1, "x".repeat(100_000));
      cache.load(Flowable.range(0, ENTRIES).map(i -> Map.entry(i, "value " + i))).join();
      Cache<Integer, String> same = two.cache("plain", Integer.class, String.class);
      long streamed = Flowable.fromPublisher(same.stream().entries()).count().blockingGet();
      System.out.println( // checkstyle: off RegexpSinglelineJava because it answers here
          streamed);
    }
  }

  private static NodeSettings settings(String name, String folder) {
    return NodeSettings.builder()
        .clusterName("plain")
        .nodeName(name)
        .discovery(new Discovery.Local(folder))
        .build();
  }
}
