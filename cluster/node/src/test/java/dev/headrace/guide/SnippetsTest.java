package dev.headrace.guide;

import dev.headrace.api.Headrace;
import dev.headrace.rebalance.placement.locator.NodeLocator;
import io.reactivex.rxjava3.core.Flowable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Publisher;

/** What the guides show compiles when it is copied, with what embeds a node. */
final class SnippetsTest {
  /** Pages of further artifacts, whose tests compile them. */
  private static final Set<String> ELSEWHERE =
      Set.of(
          "codecs.md",
          "coming-from-hazelcast.md",
          "coming-from-infinispan.md",
          "coming-from-redis.md",
          "jcache.md",
          "metrics.md",
          "spring-boot.md");

  @TempDir private Path classes;

  private static List<Path> pages() throws IOException {
    Path root = GuideSnippets.root();
    List<Path> pages = new ArrayList<>(List.of(root.resolve("README.md")));
    try (Stream<Path> guides = Files.list(root.resolve("site/src/guide"))) {
      guides
          .filter(page -> !ELSEWHERE.contains(page.getFileName().toString()))
          .sorted()
          .forEach(pages::add);
    }
    return pages;
  }

  @Test
  void everySnippetOfTheGuidesCompiles() throws Exception {
    GuideSnippets.assertCompile(
        pages(),
        classes,
        List.of(Headrace.class, NodeLocator.class, Flowable.class, Publisher.class));
  }
}
