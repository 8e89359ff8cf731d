package dev.headrace.testkit.guide;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the guide shows of the testkit is taken from tests that run here. */
final class TestingGuideTest {
  private static final Pattern BLOCK =
      Pattern.compile("```java testkit\\n(.*?)```", Pattern.DOTALL);

  @Test
  void everySampleOfTheGuideIsATest() throws IOException {
    Path root = root();
    String tests =
        flat(
            Files.readString(
                    root.resolve(
                        "cluster/testkit/src/test/java/dev/headrace/testkit/guide/OrdersTest.java"))
                + Files.readString(
                    root.resolve(
                        "cluster/testkit/src/test/java/dev/headrace/testkit/TestClusterTest.java")));
    List<String> samples =
        BLOCK
            .matcher(Files.readString(root.resolve("site/src/guide/testing.md")))
            .results()
            .map((MatchResult block) -> flat(block.group(1)))
            .toList();
    assertThat(samples).hasSizeGreaterThan(2).allSatisfy(each -> assertThat(tests).contains(each));
  }

  private static String flat(String code) {
    return code.replaceAll("\\s+", " ").strip();
  }

  private static Path root() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("site")) ? here : here.resolve("../..").normalize();
  }
}
