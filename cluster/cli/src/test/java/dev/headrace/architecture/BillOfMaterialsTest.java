package dev.headrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The bill of materials names every module that users may depend on, in the present version. */
class BillOfMaterialsTest {
  private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(headrace-[\\w-]+)<");
  private static final Pattern VERSION =
      Pattern.compile("</artifactId>\\s*<version>([\\w.-]+)</version>");

  private static Path root() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("site")) ? here : here.resolve("../..").normalize();
  }

  private static String pom(Path folder) throws IOException {
    return Files.readString(folder.resolve("pom.xml"));
  }

  /** The artifacts of all modules that have code and are not the benchmarks. */
  private static Set<String> modules() throws IOException {
    Set<String> artifacts = new TreeSet<>();
    for (Path parent : List.of(root(), root().resolve("cluster"))) {
      try (Stream<Path> folders = Files.list(parent)) {
        for (Path folder : folders.filter(BillOfMaterialsTest::isForUsers).toList()) {
          Matcher own = ARTIFACT.matcher(pom(folder).replaceFirst("(?s)<parent>.*?</parent>", ""));
          assertThat(own.find()).as("%s has an artifact", folder).isTrue();
          artifacts.add(own.group(1));
        }
      }
    }
    return artifacts;
  }

  private static boolean isForUsers(Path folder) {
    return Files.exists(folder.resolve("src/main"))
        && !folder.getFileName().toString().equals("benchmarks");
  }

  @Test
  void everyModuleIsThere() throws IOException {
    String bill = pom(root().resolve("cluster/bom"));
    Set<String> named = new TreeSet<>();
    Matcher artifacts = ARTIFACT.matcher(bill.substring(bill.indexOf("<dependencyManagement>")));
    while (artifacts.find()) {
      named.add(artifacts.group(1));
    }
    assertThat(named).hasSizeGreaterThan(8).isEqualTo(modules());
  }

  @Test
  void itHasTheVersionOfTheModules() throws IOException {
    assertThat(version(pom(root().resolve("cluster/bom")))).isEqualTo(version(pom(root())));
  }

  private static String version(String pom) {
    Matcher version = VERSION.matcher(pom);
    assertThat(version.find()).isTrue();
    return version.group(1);
  }
}
