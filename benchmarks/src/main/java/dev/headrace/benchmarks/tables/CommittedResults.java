package dev.headrace.benchmarks.tables;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A table that says of each file of results when it was measured, on what, and how often. */
final class CommittedResults {

  private static final String JSON = ".json";
  private static final String JMH_JSON = ".jmh.json";

  private final Path folder;

  CommittedResults(Path folder) {
    this.folder = folder;
  }

  @Override
  public String toString() {
    PipeTable table = new PipeTable("result", "day", "processor", "rounds");
    for (String name : names()) {
      ResultFile results = new ResultFile(folder.resolve(name + JSON));
      table.row("`" + name + "`", results.day(), results.processor(), rounds(name));
    }
    return table.toString();
  }

  private List<String> names() {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.endsWith(JSON) && !file.endsWith(JMH_JSON))
          .map(file -> file.substring(0, file.length() - JSON.length()))
          .sorted()
          .collect(Collectors.toList());
    } catch (IOException e) {
      throw new UncheckedIOException("The folder of results cannot be read: " + folder, e);
    }
  }

  /** How many forks JMH gave each cell; a dash if it did not measure this. */
  private String rounds(String name) {
    Path file = folder.resolve(name + JMH_JSON);
    if (!Files.exists(file)) {
      return "–";
    }
    try (JsonParser json = new JsonFactory().createParser(Files.readString(file))) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token == JsonToken.VALUE_NUMBER_INT && json.currentName().equals("forks")) {
          return json.getText();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("These results cannot be read: " + file, e);
    }
    throw new IllegalArgumentException("These results name no forks: " + file);
  }
}
