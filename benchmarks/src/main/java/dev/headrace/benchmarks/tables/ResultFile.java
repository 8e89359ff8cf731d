package dev.headrace.benchmarks.tables;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.headrace.benchmarks.harness.Samples;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** A file of results, read back. */
final class ResultFile {

  private static final String SAMPLES = "samples";

  /** What is drawn from the samples, and so is no coordinate. */
  private static final Set<String> DRAWN = Set.of("score", "median");

  private String date = "";
  private final Map<String, String> machine = new LinkedHashMap<>();
  private final Map<String, String> versions = new LinkedHashMap<>();
  private final Map<String, Double> ratios = new LinkedHashMap<>();
  private final List<Row> rows = new ArrayList<>();

  /**
   * One measurement.
   *
   * @param fields its question, system and coordinates
   * @param samples what was measured
   */
  record Row(Map<String, String> fields, List<Double> samples) {

    String field(String name) {
      return fields.getOrDefault(name, "");
    }

    boolean has(String name, Object value) {
      return field(name).equals(value.toString());
    }

    /** Its median over the rounds. */
    double median() {
      return Samples.median(samples.stream().mapToDouble(Double::doubleValue).toArray());
    }
  }

  /** Reads {@code benchmarks/results/NAME.json}. */
  ResultFile(Path file) {
    try (JsonParser json = new JsonFactory().createParser(Files.readString(file))) {
      expect(json.nextToken(), JsonToken.START_OBJECT);
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        JsonToken value = json.nextToken();
        switch (name) {
          case "date" -> date = json.getText();
          case "machine" -> texts(json, machine);
          case "versions" -> texts(json, versions);
          case "ratios" -> numbers(json);
          case "measurements" -> {
            expect(value, JsonToken.START_ARRAY);
            while (json.nextToken() != JsonToken.END_ARRAY) {
              rows.add(row(json));
            }
          }
          default -> json.skipChildren();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("These results cannot be read: " + file, e);
    }
  }

  private static void expect(JsonToken token, JsonToken expected) throws IOException {
    if (token != expected) {
      throw new IOException("These are no results: " + token + " where there must be " + expected);
    }
  }

  private static void texts(JsonParser json, Map<String, String> into) throws IOException {
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      into.put(name, json.getText());
    }
  }

  private void numbers(JsonParser json) throws IOException {
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      ratios.put(name, json.getDoubleValue());
    }
  }

  private static Row row(JsonParser json) throws IOException {
    Map<String, String> fields = new LinkedHashMap<>();
    List<Double> samples = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      JsonToken value = json.nextToken();
      if (name.equals(SAMPLES)) {
        expect(value, JsonToken.START_ARRAY);
        while (json.nextToken() != JsonToken.END_ARRAY) {
          samples.add(json.getDoubleValue());
        }
      } else if (!DRAWN.contains(name)) {
        fields.put(name, json.getText());
      }
    }
    return new Row(fields, samples);
  }

  /** When the run ended, as year, month and day; empty if the file does not say. */
  String day() {
    return date.replaceFirst("T.*", "");
  }

  /** The maker's name of the processor, without trade marks; empty if the file does not say. */
  String processor() {
    return machine.getOrDefault("cpu", "").replace("(R)", "").replace(" Processor", "").strip();
  }

  /** The version of a system; empty if it took no part. */
  String version(String system) {
    String version = versions.getOrDefault(system, "");
    return version.startsWith("left out") ? "" : version;
  }

  /** A ratio; NaN if it was not measured. */
  double ratio(String key) {
    return ratios.getOrDefault(key, Double.NaN);
  }

  /** All measurements of a kind. */
  List<Row> rows(Predicate<Row> which) {
    return rows.stream().filter(which).toList();
  }

  /**
   * The median over the rounds of one cell, whether its rounds are one measurement's samples or
   * measurements of their own; NaN if it was not measured.
   */
  double median(Predicate<Row> cell) {
    double[] medians = rows.stream().filter(cell).mapToDouble(Row::median).toArray();
    return medians.length == 0 ? Double.NaN : Samples.median(medians);
  }
}
