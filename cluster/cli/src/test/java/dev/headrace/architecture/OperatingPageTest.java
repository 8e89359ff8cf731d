package dev.headrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page for operators quotes warnings that nodes log and figures that they have. */
final class OperatingPageTest {
  private static final Pattern WARNING = Pattern.compile("(?m)^\\| `([^`]{8,})` \\|");
  private static final Pattern FIGURE = Pattern.compile("headrace[._][a-z._]+");

  /** Where a text of the source goes on in the next line, or has a value in it. */
  private static final Pattern SEAM = Pattern.compile("\"\\s*\\+\\s*\"");

  private static Path root() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("site")) ? here : here.resolve("../..").normalize();
  }

  private static String page(String name) throws IOException {
    return Files.readString(root().resolve("site/src/guide").resolve(name));
  }

  private static String section(String page, String heading) {
    int begin = page.indexOf("\n## " + heading + "\n");
    assertThat(begin).as(heading).isPositive();
    int end = page.indexOf("\n## ", begin + 1);
    return page.substring(begin, end < 0 ? page.length() : end);
  }

  /** The texts of all sources that log warnings. */
  private static String sources() throws IOException {
    StringBuilder texts = new StringBuilder();
    for (String module : List.of("rebalance", "cluster/node", "cluster/http")) {
      try (Stream<Path> files = Files.walk(root().resolve(module).resolve("src/main/java"))) {
        for (Path file : files.filter(file -> file.toString().endsWith(".java")).toList()) {
          texts.append(SEAM.matcher(Files.readString(file)).replaceAll(""));
        }
      }
    }
    return texts.toString();
  }

  @Test
  void everyWarningOfThePageIsLogged() throws IOException {
    List<String> quoted = new ArrayList<>();
    WARNING
        .matcher(section(page("operating.md"), "Warnings"))
        .results()
        .map(row -> row.group(1))
        .forEach(quoted::add);
    String sources = sources();
    assertThat(quoted).hasSizeGreaterThan(10);
    assertThat(quoted).allMatch(sources::contains);
  }

  @Test
  void everyFigureOfThePageIsOneOfMetrics() throws IOException {
    TreeSet<String> named = new TreeSet<>();
    FIGURE
        .matcher(page("operating.md"))
        .results()
        .map(MatchResult::group)
        .map(
            name ->
                name.replace('_', '.').replaceFirst("^(headrace\\.http\\.\\w+)\\.seconds$", "$1"))
        .forEach(named::add);
    named.remove("headrace.properties");
    String metrics = page("metrics.md");
    assertThat(named).hasSizeGreaterThan(8);
    assertThat(named).allMatch(name -> metrics.contains("`" + name + "`"));
  }
}
