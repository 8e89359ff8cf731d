package dev.headrace.cluster.process.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A plain program with what comes with a node on its class path, a binding of SLF4J, and no option
 * of the JVM: nothing is printed to standard error, neither by Headrace nor by the JDK, which warns
 * of {@code sun.misc.Unsafe} and of native libraries.
 */
@Timeout(180)
final class PlainProgramTest {
  private static final long LIMIT_SECONDS = 120;
  private static final Pattern RELEASE = Pattern.compile("JAVA_VERSION=\"(\\d+)");
  private static final Path HOME = Path.of(System.getProperty("java.home"));

  /** What comes with a node, and a binding of SLF4J. */
  private static final Pattern LIBRARY =
      Pattern.compile(
          "(headrace-(api|stream|rebalance|replication|cluster)|hash4j|jgroups|netty-.*"
              + "|reactive-streams|rxjava|slf4j-api|slf4j-jdk14)-\\d[\\w.]*(-\\w+)?\\.jar");

  @TempDir private Path folder;

  @Test
  void thisJdkWarnsOfNothing() throws Exception {
    assertQuiet(HOME);
  }

  @Test
  void aNewerJdkWarnsOfNothing() throws Exception {
    Optional<Path> newer = newestBeside();
    assumeTrue(newer.isPresent(), "there is no newer JDK than " + HOME + " beside it");
    assertQuiet(newer.orElseThrow());
  }

  private void assertQuiet(Path home) throws Exception {
    Path output = folder.resolve("output");
    Path errors = folder.resolve("errors");
    ProcessBuilder program =
        new ProcessBuilder(
            home.resolve("bin").resolve("java").toString(),
            "-cp",
            classPath(),
            PlainProgram.class.getName(),
            Files.createDirectory(folder.resolve("nodes")).toString());
    program.environment().keySet().removeIf(name -> name.endsWith("JAVA_OPTIONS"));
    program.environment().remove("JAVA_TOOL_OPTIONS");
    Process life = program.redirectOutput(output.toFile()).redirectError(errors.toFile()).start();
    try {
      boolean ended = life.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
      assertThat(Files.readString(errors)).isEmpty();
      assertThat(ended && life.exitValue() == 0).as("it ended well").isTrue();
      assertThat(output).hasContent("10001");
    } finally {
      life.destroyForcibly();
    }
  }

  /** The folders of classes, among them those of the program, and the jars that a user has. */
  private static String classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(Path::of)
        .filter(
            part ->
                Files.isDirectory(part) || LIBRARY.matcher(part.getFileName().toString()).matches())
        .map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static Optional<Path> newestBeside() throws IOException {
    int present = Runtime.version().feature();
    try (Stream<Path> beside = Files.list(HOME.resolveSibling("."))) {
      List<Path> homes =
          beside.filter(home -> Files.isExecutable(home.resolve("bin").resolve("java"))).toList();
      return homes.stream()
          .filter(home -> feature(home) > present)
          .max(Comparator.comparingInt(PlainProgramTest::feature));
    }
  }

  /** The version of a JDK; 0 if it does not tell. */
  private static int feature(Path home) {
    try {
      return RELEASE
          .matcher(Files.readString(home.resolve("release")))
          .results()
          .map(found -> Integer.parseInt(found.group(1)))
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return 0;
    }
  }
}
