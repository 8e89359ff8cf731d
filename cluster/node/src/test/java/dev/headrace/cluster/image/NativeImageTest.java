package dev.headrace.cluster.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.guide.GuideSnippets;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** The metadata for native images has all that nodes look up while they run. */
@Timeout(180)
final class NativeImageTest {
  private static final long LIMIT_SECONDS = 120;

  /** JGroups looks for them, and JDK 21 brought them. */
  private static final Set<String> OF_VIRTUAL_THREADS =
      Set.of(
          "java.lang.Thread",
          "java.lang.Thread$Builder$OfVirtual",
          "java.util.concurrent.Executors");

  @TempDir private static Path folder;
  private static List<Use> uses;
  private static ReachabilityMetadata metadata;

  /** A use of reflection, or of a resource. */
  private record Use(String kind, String name, String member, String caller) {
    static Use parsed(String line) {
      String[] parts = line.split("\t", -1);
      return new Use(parts[0], parts[1], parts[2], parts[3]);
    }

    /** Whether the metadata in Netty's own jars is for it. */
    boolean isNettysOwn() {
      return caller.startsWith("io.netty.") && !name.startsWith("dev.headrace.");
    }

    boolean isOfUser() {
      return name.equals(TracedNodes.Quote.class.getName());
    }

    boolean isIn(ReachabilityMetadata metadata) {
      return metadata.allows(kind, name, member);
    }
  }

  @BeforeAll
  static void run() throws Exception {
    metadata = ReachabilityMetadata.ofNode();
    Path log = folder.resolve("log");
    Path output = folder.resolve("output");
    Process life =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-Djava.net.preferIPv4Stack=true",
                "-javaagent:" + agent(),
                "-cp",
                System.getProperty("java.class.path"),
                TracedNodes.class.getName(),
                log.toString(),
                Files.createDirectory(folder.resolve("nodes")).toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      boolean ended = life.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
      assertThat(ended && life.exitValue() == 0).as(Files.readString(output)).isTrue();
    } finally {
      life.destroyForcibly();
    }
    try (Stream<String> lines = Files.lines(log)) {
      uses = lines.map(Use::parsed).filter(use -> !use.isNettysOwn()).toList();
    }
  }

  /** A jar that only names the agent, whose classes are on the class path. */
  private static Path agent() throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", ReflectionAgent.class.getName());
    Path jar = folder.resolve("agent.jar");
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    return jar;
  }

  @Test
  void theLogHasWhatJGroupsAndTheCodecsAreKnownToDo() {
    assertThat(uses)
        .extracting(use -> use.kind() + " " + use.name() + " " + use.member())
        .contains(
            "resource jg-magic-map.xml ",
            "type org.jgroups.protocols.pbcast.NAKACK2 ",
            "method org.jgroups.protocols.pbcast.GMS$GmsHeader <init>()",
            "all dev.headrace.cluster.membership.connection.Connections DeclaredFields",
            "all " + TracedNodes.Quote.class.getName() + " DeclaredMethods");
  }

  @Test
  void theMetadataHasEverythingThatNodesLookUp() {
    assertThat(uses)
        .filteredOn(use -> !use.isOfUser())
        .filteredOn(use -> !use.isIn(metadata))
        .as("uses that reachability-metadata.json does not allow")
        .isEmpty();
  }

  @Test
  void whatTheGuideSaysOfRecordsIsEnough() throws IOException {
    String page = Files.readString(GuideSnippets.root().resolve("site/src/guide/deployment.md"));
    String entry =
        page.lines().filter(line -> line.contains("\"com.example.Quote\"")).findFirst().orElse("");
    Map<String, Object> type = new Yaml().load(entry.strip());
    ReachabilityMetadata guide =
        new ReachabilityMetadata(Map.of(TracedNodes.Quote.class.getName(), type), List.of());
    assertThat(uses).filteredOn(Use::isOfUser).isNotEmpty().allMatch(use -> use.isIn(guide));
  }

  @Test
  void everythingInTheMetadataExists() {
    Map<String, Map<String, Object>> types = new HashMap<>(metadata.types());
    if (Runtime.version().feature() < 21) {
      types.keySet().removeAll(OF_VIRTUAL_THREADS);
    }
    types.forEach(NativeImageTest::assertExists);
    assertThat(metadata.resources())
        .allMatch(name -> NativeImageTest.class.getResource("/" + name) != null);
  }

  private static void assertExists(String name, Map<String, Object> entry) {
    try {
      Class<?> type = Class.forName(name, false, NativeImageTest.class.getClassLoader());
      assertThat(Arrays.stream(type.getDeclaredFields()).map(Field::getName))
          .containsAll(ReachabilityMetadata.fields(entry));
      assertThat(
              Stream.<Executable[]>of(type.getDeclaredMethods(), type.getDeclaredConstructors())
                  .flatMap(Arrays::stream)
                  .map(NativeImageTest::signature))
          .as("methods of %s", name)
          .containsAll(ReachabilityMetadata.methods(entry));
    } catch (ClassNotFoundException e) {
      throw new AssertionError(name, e);
    }
  }

  private static String signature(Executable method) {
    String name = method.getName().contains(".") ? "<init>" : method.getName();
    return Arrays.stream(method.getParameterTypes())
        .map(Class::getTypeName)
        .collect(Collectors.joining(",", name + "(", ")"));
  }
}
