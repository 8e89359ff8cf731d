package dev.headrace.architecture;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds the pages that lead through the code to the code, and the names in it to one meaning. */
final class PagesTest {

  private static final Path ROOT = root();
  private static final Path DESIGN = ROOT.resolve("site/src/design");

  /** A class in backquotes, perhaps with a member: at least one of its letters is a small one. */
  private static final Pattern NAME =
      Pattern.compile("`([A-Z]\\w*[a-z]\\w*)((?:\\.\\w+)*)(?:\\(\\))?`");

  /** A row of the glossary: its word, meaning and counterparts. */
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| \\*\\*(.+?)\\*\\* \\| (.+) \\| (.+) \\|$");

  private static final Map<String, List<Path>> CLASSES = classes();

  @ParameterizedTest
  @ValueSource(strings = {"architecture.md", "protocol.md"})
  void everyClassThatThePageNamesExists(String page) {
    List<String> missing = new ArrayList<>();
    Matcher name = NAME.matcher(text(DESIGN.resolve(page)));
    int names = 0;
    for (; name.find(); names++) {
      if (!exists(name.group(1), name.group(2))) {
        missing.add(name.group());
      }
    }
    assertThat(names).as("names in %s", page).isGreaterThan(30);
    assertThat(missing).as("names in %s that the source has not", page).isEmpty();
  }

  @Test
  void everyWordOfTheGlossaryIsUsed() {
    StringBuilder used = new StringBuilder();
    CLASSES.values().forEach(files -> files.forEach(file -> used.append(text(file))));
    filesBelow(ROOT.resolve("site/src/guide"), ".md").forEach(page -> used.append(text(page)));
    assertThat(glossary()).filteredOn(word -> !occurs(word, used)).isEmpty();
  }

  @Test
  void theGlossaryExplainsEachWordOnceAndInOrder() {
    List<String> words = glossary();
    assertThat(words).hasSizeGreaterThan(30).doesNotHaveDuplicates().isSorted();
  }

  @Test
  void noTwoClassesHaveTheSameSimpleName() {
    Map<String, List<Path>> shared = new TreeMap<>(CLASSES);
    shared.values().removeIf(files -> files.size() == 1);
    assertThat(shared).isEmpty();
  }

  /** Whether there is a class whose source has all members that are named behind it. */
  private static boolean exists(String simpleName, String members) {
    return CLASSES.getOrDefault(simpleName, List.of()).stream()
        .map(PagesTest::text)
        .anyMatch(
            source ->
                Pattern.compile("\\.")
                    .splitAsStream(members)
                    .filter(member -> !member.isEmpty())
                    .allMatch(
                        member -> Pattern.compile("\\b" + member + "\\b").matcher(source).find()));
  }

  /** Whether a word is there as text or as a part of a name: "segment table" as SegmentTable. */
  private static boolean occurs(String word, CharSequence text) {
    String anyForm = word.replaceAll("[ -]", "[\\\\s*/_-]*");
    return Pattern.compile(anyForm, Pattern.CASE_INSENSITIVE).matcher(text).find();
  }

  private static List<String> glossary() {
    return ROW.matcher(text(DESIGN.resolve("glossary.md")))
        .results()
        .map(row -> row.group(1))
        .collect(toList());
  }

  /** The sources of all top-level classes, those of tests included, by their simple names. */
  private static Map<String, List<Path>> classes() {
    return Stream.of("api", "stream", "rebalance", "cluster", "benchmarks")
        .flatMap(module -> filesBelow(ROOT.resolve(module), ".java").stream())
        .filter(file -> !file.endsWith("package-info.java"))
        .collect(groupingBy(file -> file.getFileName().toString().replace(".java", "")));
  }

  private static List<Path> filesBelow(Path folder, String end) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().endsWith(end))
          .filter(file -> !ROOT.relativize(file).toString().contains("/target/"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("site/src/design"))) {
      folder = folder.getParent();
      assertThat(folder).as("the folder with the site").isNotNull();
    }
    return folder;
  }
}
