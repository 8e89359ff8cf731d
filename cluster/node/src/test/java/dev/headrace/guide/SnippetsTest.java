package dev.headrace.guide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Headrace;
import dev.headrace.rebalance.placement.locator.NodeLocator;
import io.reactivex.rxjava3.core.Flowable;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.infinispan.commons.util.IntSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Publisher;

/**
 * What the guides show compiles when it is copied. A page says each import once; what it does not
 * declare itself is a node, a cache of quotes, or was declared further up.
 */
final class SnippetsTest {
  private static final Pattern BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern PUBLIC_CLASS =
      Pattern.compile("^public class (\\w+)", Pattern.MULTILINE);

  /** What a page may use without having declared it. */
  private static final String SURROUNDINGS =
      """
      final class Snippet {
        record Quote(String symbol, double price) {}
        dev.headrace.api.Headrace node;
        dev.headrace.api.Cache<String, Quote> cache;
        dev.headrace.api.Cache<String, Quote> quotes;
        Quote acme;
        java.util.concurrent.atomic.AtomicReference<String> place;

        void run() throws Exception {
      """;

  @TempDir private Path classes;

  private static Path root() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("site")) ? here : here.resolve("../..").normalize();
  }

  private static List<Path> pages() throws IOException {
    Path root = root();
    List<Path> pages = new ArrayList<>(List.of(root.resolve("README.md")));
    try (Stream<Path> guides = Files.list(root.resolve("site/src/guide"))) {
      guides.sorted().forEach(pages::add);
    }
    return pages;
  }

  @Test
  void everySnippetOfTheGuidesCompiles() throws Exception {
    List<JavaFileObject> sources = new ArrayList<>();
    for (Path page : pages()) {
      sources.addAll(sources(page));
    }
    assertThat(sources).hasSizeGreaterThan(10);

    StringWriter findings = new StringWriter();
    boolean compiles =
        ToolProvider.getSystemJavaCompiler()
            .getTask(
                findings,
                null,
                null,
                List.of(
                    "--release", "17", "-proc:none", "-cp", classPath(), "-d", classes.toString()),
                null,
                sources)
            .call();
    assertThat(compiles).as(findings.toString()).isTrue();
  }

  private static List<JavaFileObject> sources(Path page) throws IOException {
    List<JavaFileObject> sources = new ArrayList<>();
    TreeSet<String> imports = new TreeSet<>();
    Matcher blocks = BLOCK.matcher(Files.readString(page));
    while (blocks.find()) {
      String block = blocks.group(1);
      block.lines().filter(line -> line.startsWith("import ")).forEach(imports::add);
      String code =
          block
              .lines()
              .filter(line -> !line.startsWith("import "))
              .collect(Collectors.joining("\n"));
      String unit = page.getFileName().toString().replaceAll("\\W", "_") + sources.size();
      Matcher whole = PUBLIC_CLASS.matcher(code);
      boolean isWhole = whole.find();
      sources.add(
          source(
              unit + "/" + (isWhole ? whole.group(1) : "Snippet"),
              "package %s;\n%s\n%s"
                  .formatted(
                      unit,
                      String.join("\n", imports),
                      isWhole ? code : SURROUNDINGS + code + "\n}}")));
    }
    return sources;
  }

  private static JavaFileObject source(String name, String text) {
    return new SimpleJavaFileObject(
        URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return text;
      }
    };
  }

  /** What whoever embeds a node compiles against. */
  private static String classPath() {
    return Stream.of(
            Headrace.class, NodeLocator.class, Flowable.class, IntSet.class, Publisher.class)
        .map(SnippetsTest::whereItLies)
        .collect(Collectors.joining(System.getProperty("path.separator")));
  }

  private static String whereItLies(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }
}
