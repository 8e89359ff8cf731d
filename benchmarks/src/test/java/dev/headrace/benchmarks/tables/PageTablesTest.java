package dev.headrace.benchmarks.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The pages show what was measured. */
final class PageTablesTest {

  private final Path root = root();
  private final PageTables tables = new PageTables(root.resolve("benchmarks/results"));

  @Test
  void theTablesOfTheReadmeAreThoseOfTheCommittedResults() throws IOException {
    assertTables("README.md", "walks", "one-reader", "operations");
  }

  @Test
  void soAreThoseOfThePageOfFigures() throws IOException {
    assertTables("site/src/guide/figures.md", "limits", "conditions", "migration", "committed");
  }

  private void assertTables(String page, String... names) throws IOException {
    Path file = root.resolve(page);
    assertThat(PageTables.names(file)).containsExactly(names);
    String text = Files.readString(file);
    assertThat(text).as("run benchmarks/tables").isEqualTo(tables.filled(text));
  }

  @Test
  void whatStandsOutsideTheMarksIsLeftAlone() {
    String page = "before\n<!-- results: walks -->\nold\n<!-- end of results -->\nafter\n";
    assertThat(tables.filled(page))
        .startsWith("before\n<!-- results: walks -->\n| a walk over the whole cache | Headrace |")
        .endsWith(" |\n<!-- end of results -->\nafter\n")
        .doesNotContain("old");
  }

  @Test
  void aTableThatThereIsNotIsRefused() {
    String page = "<!-- results: sorrows -->\n\n<!-- end of results -->\n";
    assertThatThrownBy(() -> tables.filled(page)).hasMessageContaining("sorrows");
  }

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("benchmarks/results"))) {
      folder = folder.getParent();
      assertThat(folder).as("the folder with the results").isNotNull();
    }
    return folder;
  }
}
