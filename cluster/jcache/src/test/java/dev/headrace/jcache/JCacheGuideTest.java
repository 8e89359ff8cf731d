package dev.headrace.jcache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Headrace;
import dev.headrace.api.stream.CloseableIterator;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.cache.Caching;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Publisher;

/** What the guide shows compiles when it is copied, from its first line to its last. */
final class JCacheGuideTest {
  private static final Pattern BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

  @TempDir private Path classes;

  @Test
  void theGuideCompiles() throws Exception {
    List<String> lines =
        BLOCK
            .matcher(Files.readString(page()))
            .results()
            .flatMap(block -> block.group(1).lines())
            .toList();
    assertThat(lines).hasSizeGreaterThan(10);
    String source =
        lines.stream().filter(JCacheGuideTest::isImport).collect(Collectors.joining("\n"))
            + "\nfinal class Guide { void run() throws Exception {\n"
            + lines.stream().filter(line -> !isImport(line)).collect(Collectors.joining("\n"))
            + "\n}}";

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
                List.of(unit(source)))
            .call();
    assertThat(compiles).as(findings.toString()).isTrue();
  }

  private static boolean isImport(String line) {
    return line.startsWith("import ");
  }

  private static JavaFileObject unit(String source) {
    return new SimpleJavaFileObject(
        URI.create("string:///Guide.java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return source;
      }
    };
  }

  private static Path page() throws IOException {
    Path here = Path.of("").toAbsolutePath();
    Path root = Files.exists(here.resolve("site")) ? here : here.resolve("../..").normalize();
    return root.resolve("site/src/guide/jcache.md");
  }

  private static String classPath() {
    return Stream.of(
            HeadraceCachingProvider.class,
            Headrace.class,
            Caching.class,
            CloseableIterator.class,
            Publisher.class)
        .map(JCacheGuideTest::whereItLies)
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
