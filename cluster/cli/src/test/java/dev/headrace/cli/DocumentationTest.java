package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The guide shows what the command line prints. */
final class DocumentationTest {

  /** A command at a prompt and what it prints, up to the end of the block or the next prompt. */
  private static final Pattern EXAMPLE =
      Pattern.compile("(?m)^\\$ \\./headrace (plan [^\\n]*)\\n((?:(?!```|\\$ ).*\\n)*)");

  private static final Pattern PLACEHOLDER =
      Pattern.compile("(?m)^(?:[A-Z]{4,}|\\.\\.\\.)$|\\b(?:TODO|TBD|FIXME)\\b");

  private final Path site = site();

  @Test
  void plansInTheGuideAreWhatIsPrinted() throws IOException {
    List<MatchResult> examples = new ArrayList<>();
    for (Path page : pages()) {
      EXAMPLE.matcher(Files.readString(page)).results().forEach(examples::add);
    }
    assertThat(examples).isNotEmpty();
    for (MatchResult example : examples) {
      CommandRun plan = new CommandRun();
      assertThat(plan.run(example.group(1).split(" "))).as(example.group()).isZero();
      assertThat(plan.out()).isEqualTo(example.group(2));
    }
  }

  @Test
  void noPageHasPlaceholders() throws IOException {
    assertThat(PLACEHOLDER.matcher("```\nEXAMPLE\n```").find()).isTrue();
    for (Path page : pages()) {
      assertThat(PLACEHOLDER.matcher(Files.readString(page)).find()).as(page.toString()).isFalse();
    }
  }

  private List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(site.resolve("src"))) {
      List<Path> pages = files.filter(file -> file.toString().endsWith(".md")).toList();
      assertThat(pages).hasSizeGreaterThan(5);
      return Stream.concat(pages.stream(), Stream.of(site.resolveSibling("README.md"))).toList();
    }
  }

  /** Tests run in the folder of their module, or in the one above. */
  private static Path site() {
    Path below = Path.of("").toAbsolutePath();
    Path here = below.resolve("site");
    return Files.isDirectory(here) ? here : below.resolve("../../site").normalize();
  }
}
