package dev.headrace.distribution;

import static dev.headrace.distribution.Chart.at;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Unpacks the archive that the build has made, and runs it by itself. */
@Tag("distribution")
@Timeout(300)
final class DistributionTest {
  private static final Pattern CONSOLE = Pattern.compile("HTTP and its console on (http://\\S+)");

  private static final long LOOK_NANOS = 10_000_000L;

  @TempDir private static Path folder;
  private static Path home = folder;

  @BeforeAll
  static void unpack() throws IOException {
    Path archive =
        Path.of(
            Objects.requireNonNull(
                System.getProperty("headrace.distribution"),
                "This test runs after package: ./mvnw verify -pl cluster/cli -am"));
    assertThat(archive).isNotEmptyFile();
    try (ZipFile zip = new ZipFile(archive.toFile())) {
      for (ZipEntry entry : zip.stream().filter(file -> !file.isDirectory()).toList()) {
        Path file = folder.resolve(entry.getName()).normalize();
        assertThat(file.startsWith(folder)).as(entry.getName()).isTrue();
        Files.createDirectories(file.getParent());
        try (InputStream content = zip.getInputStream(entry)) {
          Files.copy(content, file);
        }
      }
    }
    try (Stream<Path> top = Files.list(folder)) {
      home = top.filter(Files::isDirectory).findFirst().orElseThrow();
    }
    // The archive has the bit, which this way of unpacking does not know.
    Files.setPosixFilePermissions(
        command(),
        new TreeSet<>(List.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_EXECUTE)));
  }

  private static Path command() {
    return home.resolve("bin/headrace");
  }

  private static Process start(String... arguments) throws IOException {
    List<String> line = new ArrayList<>(List.of(command().toString()));
    line.addAll(List.of(arguments));
    ProcessBuilder process = new ProcessBuilder(line).directory(folder.toFile());
    process.environment().put("JAVA_HOME", System.getProperty("java.home"));
    process.environment().put("HEADRACE_JAVA_OPTIONS", "-Xmx256m");
    return process.redirectErrorStream(true).start();
  }

  private static String output(Process process) throws IOException, InterruptedException {
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(text).isZero();
    return text;
  }

  private static int statusOf(String url) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
    try {
      return connection.getResponseCode();
    } finally {
      connection.disconnect();
    }
  }

  /** A node that has just joined is ready a little later. */
  private static void awaitGood(String url) throws IOException {
    while (statusOf(url) != 200) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  @Test
  void itHasEverythingThatItsReadmeNames() throws IOException {
    assertThat(
            List.of(
                "LICENSE",
                "README.md",
                "completion/headrace.bash",
                "completion/headrace.zsh",
                "docker/Dockerfile",
                "helm/headrace/Chart.yaml",
                "helm/headrace/values.yaml",
                "helm/headrace/templates/statefulset.yaml"))
        .allMatch(file -> Files.exists(home.resolve(file)));
    String version = home.getFileName().toString().replace("headrace-", "");
    assertThat(home.resolve("README.md")).content().contains("# Headrace " + version);
  }

  @Test
  void itPrintsItsUsageAndVersion() throws Exception {
    assertThat(output(start("--help"))).contains("status", "completion", "Exit codes:");
    String version = home.getFileName().toString().replace('-', ' ');
    assertThat(output(start("--version")).strip()).isEqualTo(version);
  }

  @Test
  void everyJarOfOursHasAModuleName() throws IOException {
    TreeSet<String> names = new TreeSet<>();
    try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
      for (Path jar : jars.filter(DistributionTest::isOurs).toList()) {
        try (JarFile opened = new JarFile(jar.toFile())) {
          String name = opened.getManifest().getMainAttributes().getValue("Automatic-Module-Name");
          assertThat(name).as(jar.toString()).startsWith("dev.headrace.");
          assertThat(names.add(name)).as(name).isTrue();
        }
      }
    }
    assertThat(names).contains("dev.headrace.api", "dev.headrace.cluster", "dev.headrace.cli");
  }

  private static boolean isOurs(Path jar) {
    return jar.getFileName().toString().startsWith("headrace-");
  }

  @Test
  void aNodeRunsWithWhatTheChartAsksOfIt() throws Exception {
    Chart chart = Chart.ofSources();
    Object container =
        at(
            chart.resources().get("StatefulSet prices"),
            "spec",
            "template",
            "spec",
            "containers",
            "0");
    List<String> options = new ArrayList<>();
    ((List<?>) at(container, "args")).forEach(argument -> options.add(argument.toString()));
    options.set(options.indexOf("8080"), "0");
    options.addAll(
        List.of("--cluster", "distribution", "--folder", folder.resolve("f").toString()));
    Process node = start(options.toArray(String[]::new));
    try (BufferedReader said =
        new BufferedReader(new InputStreamReader(node.getInputStream(), StandardCharsets.UTF_8))) {
      String url = console(said);
      String local = "http://127.0.0.1:" + URI.create(url).getPort();
      for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
        awaitGood(local + at(container, probe, "httpGet", "path"));
      }
      assertThat(
              output(
                  start(
                      "status",
                      "--json",
                      "--cluster",
                      "distribution",
                      "--folder",
                      folder.resolve("f").toString())))
          .contains("\"members\"");
      node.toHandle().destroy(); // SIGTERM, as Kubernetes sends it
      assertThat(said.lines().anyMatch(line -> line.startsWith("Leaving cluster"))).isTrue();
      assertThat(node.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(node.exitValue()).isEqualTo(143);
    } finally {
      node.destroyForcibly();
    }
  }

  /** The JDK that runs this, and each one of version 25 that is installed where Linux has them. */
  static List<Path> jdks() throws IOException {
    List<Path> homes = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"))));
    Path installed = Path.of("/usr/lib/jvm");
    if (Files.isDirectory(installed)) {
      try (Stream<Path> all = Files.list(installed)) {
        all.filter(DistributionTest::isVersion25).forEach(homes::add);
      }
    }
    return homes;
  }

  private static boolean isVersion25(Path home) {
    try {
      return Files.readString(home.resolve("release")).contains("JAVA_VERSION=\"25");
    } catch (IOException e) {
      return false; // It is no JDK, or an old one.
    }
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void aJdkHasNothingToWarnOf(Path jdk, @TempDir Path own) throws Exception {
    List<String> cluster = List.of("--cluster", "quiet", "--folder", own.toString());
    Path ofNode = own.resolve("node.err");
    Path ofPut = own.resolve("put.err");
    Process node = start(jdk, ofNode, cluster, "node", "--http", "0");
    try (BufferedReader said =
        new BufferedReader(new InputStreamReader(node.getInputStream(), StandardCharsets.UTF_8))) {
      String url = console(said);
      output(start(jdk, ofPut, cluster, "put", "key", "value", "--cache", "some"));
      URI entries = URI.create(url + "/v1/caches/some/entries");
      HttpURLConnection compressed = (HttpURLConnection) entries.toURL().openConnection();
      compressed.setRequestProperty("Accept-Encoding", "zstd"); // by a native library
      try (InputStream body = compressed.getInputStream()) {
        assertThat(body.readAllBytes()).isNotEmpty();
      }
      assertThat(compressed.getContentEncoding()).isEqualTo("zstd");
      node.toHandle().destroy();
      assertThat(node.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      node.destroyForcibly();
    }
    assertThat(ofNode).isEmptyFile();
    assertThat(ofPut).isEmptyFile();
  }

  private static Process start(Path jdk, Path errors, List<String> cluster, String... arguments)
      throws IOException {
    List<String> line = new ArrayList<>(List.of(command().toString()));
    line.addAll(List.of(arguments));
    line.addAll(cluster);
    ProcessBuilder process = new ProcessBuilder(line).directory(folder.toFile());
    process.environment().put("JAVA_HOME", jdk.toString());
    process.environment().put("HEADRACE_JAVA_OPTIONS", "-Xmx256m");
    return process.redirectError(errors.toFile()).start();
  }

  /** Where a node says that its console is. */
  private static String console(BufferedReader said) throws IOException {
    StringBuilder before = new StringBuilder();
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      Matcher console = CONSOLE.matcher(line);
      if (console.find()) {
        return console.group(1);
      }
      before.append(line).append('\n');
    }
    throw new AssertionError("The node ended: " + before);
  }

  @Test
  void bashCompletesOnTheFirstTab() throws Exception {
    Path completion = home.resolve("completion/headrace.bash");
    String line =
        "PATH=%s:$PATH; source %s; COMP_WORDS=(headrace sta); COMP_CWORD=1; "
                .formatted(command().getParent(), completion)
            + "_load_headrace_completion headrace sta headrace; echo \"${COMPREPLY[@]}\"";
    ProcessBuilder bash = new ProcessBuilder("/bin/bash", "-c", line).redirectErrorStream(true);
    bash.environment().put("JAVA_HOME", System.getProperty("java.home"));
    assertThat(output(bash.start())).contains("status");
  }
}
