package dev.headrace.guide;

import static org.assertj.core.api.Assertions.assertThat;

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
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Compiles what guides show, as if it were copied. A page says each import once; what it does not
 * declare itself is a node, a cache of quotes, or was declared further up.
 */
public final class GuideSnippets {
  private static final Pattern BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern PUBLIC_CLASS =
      Pattern.compile("^public class (\\w+)", Pattern.MULTILINE);

  /** What a page may use without having declared it. */
  private static final String ENCLOSING_CLASS =
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

  private GuideSnippets() {}

  /** The folder of the project; tests run in that of their module. */
  public static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("site"))) {
      folder = folder.getParent();
      assertThat(folder).as("the folder with the site").isNotNull();
    }
    return folder;
  }

  /**
   * Fails unless all snippets of some pages compile.
   *
   * @param classes a folder for what is compiled
   * @param libraries a class of each library that they may use
   */
  public static void assertCompile(List<Path> pages, Path classes, List<Class<?>> libraries)
      throws IOException {
    List<JavaFileObject> sources = new ArrayList<>();
    for (Path page : pages) {
      sources.addAll(sources(page));
    }
    assertThat(sources).isNotEmpty();

    StringWriter findings = new StringWriter();
    boolean compiles =
        ToolProvider.getSystemJavaCompiler()
            .getTask(
                findings,
                null,
                null,
                List.of(
                    "--release",
                    "17",
                    "-proc:none",
                    "-cp",
                    classPath(libraries),
                    "-d",
                    classes.toString()),
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
                      isWhole ? code : ENCLOSING_CLASS + code + "\n}}")));
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

  private static String classPath(List<Class<?>> libraries) {
    return libraries.stream()
        .map(GuideSnippets::whereItLies)
        .distinct()
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
