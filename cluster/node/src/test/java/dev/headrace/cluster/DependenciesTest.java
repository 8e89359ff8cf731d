package dev.headrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What comes with a node, so that nothing joins it unseen. */
final class DependenciesTest {
  private static final Pattern VERSION = Pattern.compile("-\\d[\\w.]*\\.jar$");

  /** Annotations, and what only Discovery.Kubernetes needs; none of them comes along. */
  private static final Set<String> OPTIONAL =
      Set.of("jspecify", "jgroups-kubernetes", "jakarta.json-api", "parsson");

  /** A little more than what they have together. */
  private static final long MOST_BYTES = 9_000_000;

  /** The jars of others, as the build has found them for whoever depends on this module. */
  private static List<Path> jars() throws IOException {
    Path module = Path.of("").toAbsolutePath();
    Path folder = Files.exists(module.resolve("site")) ? module.resolve("cluster/node") : module;
    String classPath = Files.readString(folder.resolve("target/runtime-class-path")).strip();
    return Pattern.compile(Pattern.quote(File.pathSeparator))
        .splitAsStream(classPath)
        .map(Path::of)
        .filter(jar -> !Files.isDirectory(jar) && !artifact(jar).startsWith("headrace-"))
        .filter(jar -> !OPTIONAL.contains(artifact(jar)))
        .toList();
  }

  private static String artifact(Path jar) {
    return VERSION.matcher(jar.getFileName().toString()).replaceFirst("");
  }

  @Test
  void aNodeNeedsTheseLibraries() throws IOException {
    assertThat(jars())
        .extracting(DependenciesTest::artifact)
        .containsExactlyInAnyOrder(
            "hash4j",
            "jgroups",
            "netty-buffer",
            "netty-codec-base",
            "netty-common",
            "netty-handler",
            "netty-resolver",
            "netty-transport",
            "netty-transport-native-unix-common",
            "reactive-streams",
            "rxjava",
            "slf4j-api");
  }

  @Test
  void theyAreNotLarge() throws IOException {
    long bytes = 0;
    for (Path jar : jars()) {
      bytes += Files.size(jar);
    }
    assertThat(bytes).isBetween(MOST_BYTES / 2, MOST_BYTES);
  }
}
