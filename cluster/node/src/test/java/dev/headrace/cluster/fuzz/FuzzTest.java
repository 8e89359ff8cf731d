package dev.headrace.cluster.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jazzer against what parses bytes of others: both ports, the codecs, the resume token. It runs in
 * a process of its own, for {@code -Dheadrace.fuzz.seconds} altogether, from the committed corpus;
 * what it finds beside it stays in {@code target/fuzz}.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class FuzzTest {
  private static final int TARGETS = 4;
  private static final int SECONDS = Integer.getInteger("headrace.fuzz.seconds", 30) / TARGETS;

  /** A run that is shorter is over before the optimizing compiler pays. */
  private static final int TIERED_SECONDS = 30;

  private static final Pattern RUNS = Pattern.compile("Done (\\d+) runs");

  /** Netty uses what it forbids. */
  private static final String UNSAFE = "com.code_intelligence.jazzer.sanitizers.UnsafeSanitizer";

  /** What was found stands at the end of the log. */
  private static final int END_CHARS = 4000;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dev.headrace.cluster.membership.MembershipPortFuzz",
        "dev.headrace.cluster.wire.connection.DataPortFuzz",
        "dev.headrace.cluster.wire.codec.CodecFuzz",
        "dev.headrace.cluster.node.ControlFuzz"
      })
  void noInputSurprisesIt(String target) throws Exception {
    String name = target.substring(target.lastIndexOf('.') + 1);
    Path folder = Path.of("target", "fuzz", name).toAbsolutePath();
    Path corpus = Files.createDirectories(folder.resolve("corpus"));
    int inputs = seed(name, corpus);
    Path log = folder.resolve("log.txt");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=" + (SECONDS < TIERED_SECONDS ? 1 : 4),
                "-cp",
                System.getProperty("java.class.path"),
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + target,
                "--instrumentation_includes=dev.headrace.**",
                "--disabled_hooks=" + UNSAFE,
                "--reproducer_path=" + folder,
                "-artifact_prefix=" + folder + "/",
                "-max_total_time=" + Math.max(1, SECONDS),
                "-rss_limit_mb=0", // a process inherits the peak of the one that starts it
                "-max_len=8192",
                "-timeout=20",
                "-seed=1",
                corpus.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertThat(process.waitFor(25, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String text = Files.readString(log, StandardCharsets.UTF_8);
    String end = text.substring(Math.max(0, text.length() - END_CHARS));
    assertThat(process.exitValue()).as(end).isZero();
    Matcher runs = RUNS.matcher(text);
    assertThat(runs.find()).as(end).isTrue();
    assertThat(Long.parseLong(runs.group(1))).isGreaterThan(inputs);
  }

  /** Puts the committed inputs there, one in Base64 a line; returns how many. */
  private static int seed(String name, Path corpus) throws IOException {
    try (InputStream in = FuzzTest.class.getResourceAsStream("/fuzz/" + name + ".txt")) {
      List<String> lines =
          new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.US_ASCII)
              .lines()
              .toList();
      for (int i = 0; i < lines.size(); i++) {
        Files.write(corpus.resolve("seed-" + i), Base64.getDecoder().decode(lines.get(i)));
      }
      return lines.size();
    }
  }
}
