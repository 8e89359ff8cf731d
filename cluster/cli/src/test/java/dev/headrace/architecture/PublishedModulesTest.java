package dev.headrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every module says what Maven Central and the module path want to know of it. */
final class PublishedModulesTest {
  /** What Central refuses a project without. */
  private static final List<String> REQUIRED =
      List.of(
          "<name>",
          "<description>",
          "<url>https://",
          "<license>",
          "<developer>",
          "<connection>scm:git:https://",
          "<developerConnection>scm:git:ssh://");

  private static Path root() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("site")) ? here : here.resolve("../..").normalize();
  }

  private static String pom(Path folder) {
    try {
      return Files.readString(folder.resolve("pom.xml"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The folders of all modules with code. */
  static List<Path> modules() throws IOException {
    List<Path> modules = new ArrayList<>();
    for (Path parent : List.of(root(), root().resolve("cluster"))) {
      try (Stream<Path> folders = Files.list(parent)) {
        folders
            .filter(folder -> Files.exists(folder.resolve("src/main/java")))
            .forEach(modules::add);
      }
    }
    return modules;
  }

  private static String element(String pom, String name) {
    Matcher element = Pattern.compile("<" + name + ">([^<]+)</" + name + ">").matcher(pom);
    assertThat(element.find()).as("%s in %s", name, pom).isTrue();
    return element.group(1);
  }

  @Test
  void thereAreModules() throws IOException {
    assertThat(modules()).hasSizeGreaterThan(10);
  }

  @Test
  void whatHasNoParentSaysAllThatCentralWants() {
    assertThat(pom(root())).contains(REQUIRED);
    assertThat(pom(root().resolve("cluster/bom"))).contains(REQUIRED);
  }

  @Test
  void modulesHaveTheAddressOfTheProject() {
    assertThat(pom(root()))
        .contains(
            "child.project.url.inherit.append.path=\"false\"",
            "child.scm.url.inherit.append.path=\"false\"",
            "child.scm.connection.inherit.append.path=\"false\"",
            "child.scm.developerConnection.inherit.append.path=\"false\"");
  }

  @ParameterizedTest
  @MethodSource("modules")
  void aModuleHasItsOwnNameAndDescription(Path folder) {
    String pom = pom(folder).replaceFirst("(?s)<parent>.*?</parent>", "");
    assertThat(element(pom, "name")).startsWith("Headrace: ");
    assertThat(element(pom, "description")).endsWith(".").hasSizeGreaterThan(20);
    assertThat(pom).doesNotContain("<url>", "<licenses>", "<scm>");
  }

  /** A name of another package, or of two modules, would split a package on the module path. */
  @ParameterizedTest
  @MethodSource("modules")
  void theJavaModuleIsNamedAfterItsPackage(Path folder) throws IOException {
    String name = element(pom(folder), "module.name");
    Path sources = folder.resolve("src/main/java");
    Path own = sources.resolve(name.replace('.', '/'));
    assertThat(own).isDirectory();
    try (Stream<Path> files = Files.walk(sources)) {
      assertThat(files.filter(file -> file.toString().endsWith(".java")))
          .isNotEmpty()
          .allMatch(file -> file.startsWith(own));
    }
  }

  @Test
  void jarsGetThatName() {
    assertThat(pom(root()))
        .contains("<Automatic-Module-Name>${module.name}</Automatic-Module-Name>");
  }
}
