package dev.headrace.benchmarks.harness;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Everything that one run of a benchmark found: raw measurements, and the ratios drawn from them.
 *
 * <p>Collected by the comparison's thread; not thread safe.
 */
public final class Results {

  private final String name;
  private final boolean quick;
  private final Instant started = Instant.now().truncatedTo(ChronoUnit.SECONDS);
  private final Map<String, String> versions = new LinkedHashMap<>();
  private final List<Measurement> measurements = new ArrayList<>();
  private final Map<String, Double> ratios = new LinkedHashMap<>();
  private final List<String> failures = new ArrayList<>();
  private final List<String> retried = new ArrayList<>();
  private final List<String> unable = new ArrayList<>();

  /** Starts a collection for the benchmark of this name. */
  public Results(String name, boolean quick) {
    this.name = name;
    this.quick = quick;
  }

  /** Notes the version of a system that took part. */
  public void version(String system, String version) {
    versions.put(system, version);
  }

  /** Adds a measurement. */
  public void add(Measurement measurement) {
    measurements.add(measurement);
  }

  /**
   * What was measured and on what.
   *
   * @param question what was measured, such as {@code iterate}
   * @param system what it was measured on
   * @param parameters the coordinates
   */
  public record Subject(String question, String system, Map<String, String> parameters) {}

  /** Adds samples, unless there are none because a cell was left out or failed. */
  public void add(Subject subject, String unit, double... samples) {
    add(subject.question(), subject.system(), subject.parameters(), unit, samples);
  }

  /** Adds samples, unless there are none. */
  public void add(
      String question,
      String system,
      Map<String, String> parameters,
      String unit,
      double... samples) {
    if (samples.length > 0) {
      List<Double> list = Arrays.stream(samples).boxed().toList();
      add(new Measurement(question, system, parameters, unit, list));
    }
  }

  /** Adds a figure drawn from measurements; NaN if it could not be drawn. */
  public void ratio(String key, double value) {
    ratios.put(key, value);
  }

  /** Adds a figure of which the largest counts: a later smaller one changes nothing. */
  public void raise(String key, double value) {
    ratios.merge(key, value, Math::max);
  }

  /** Adds a figure of which the smallest counts: a later greater one changes nothing. */
  public void lower(String key, double value) {
    ratios.merge(key, value, Math::min);
  }

  /** Notes what could not be measured and why: the run will have failed. */
  public void failed(String what) {
    System.err.println("This failed, see benchmarks/target/logs: " + what);
    failures.add(what);
  }

  /** Notes what had to be measured again and why. */
  public void retried(String what) {
    System.err.println("This is tried again, see benchmarks/target/logs: " + what);
    retried.add(what);
  }

  /** Notes what a system was not able to do here, which is a finding, and no failure of the run. */
  public void unable(String what) {
    System.err.println("This could not be done, see benchmarks/target/logs: " + what);
    unable.add(what);
  }

  /** The benchmark's name. */
  String name() {
    return name;
  }

  /** All measurements so far, in order. */
  public List<Measurement> measurements() {
    return List.copyOf(measurements);
  }

  /** The final line: chosen figures as {@code key=value}, {@code n/a} for what was not measured. */
  public String summary(List<String> keys) {
    StringBuilder line = new StringBuilder();
    for (String key : keys) {
      double value = ratios.getOrDefault(key, Double.NaN);
      line.append(line.isEmpty() ? "" : " ").append(key).append('=');
      line.append(Double.isNaN(value) ? "n/a" : text(value));
    }
    return line.toString();
  }

  /**
   * Writes the JSON file and prints the final line. Ends the JVM with 1 if something failed.
   *
   * @param keys see {@link #summary}
   */
  public void end(Path file, List<String> keys) {
    write(file);
    if (!failures.isEmpty()) {
      System.err.println(failures.size() + " failed: " + String.join("\n  ", failures));
    }
    System.out.println(summary(keys));
    if (!failures.isEmpty()) {
      System.exit(1);
    }
  }

  /** Writes the JSON file, creating its folder. */
  public void write(Path file) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      try (Writer out = Files.newBufferedWriter(file);
          JsonGenerator json = new JsonFactory().createGenerator(out)) {
        json.useDefaultPrettyPrinter();
        write(json);
        json.writeRaw('\n');
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The results could not be written to " + file, e);
    }
  }

  private void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("benchmark", name);
    json.writeStringField("date", started.toString());
    json.writeStringField("commit", System.getProperty("headrace.commit", "unknown"));
    json.writeBooleanField("quick", quick);
    writeMachine(json, Machine.current());
    json.writeObjectFieldStart("versions");
    for (Map.Entry<String, String> version : versions.entrySet()) {
      json.writeStringField(version.getKey(), version.getValue());
    }
    json.writeEndObject();
    json.writeObjectFieldStart("ratios");
    for (Map.Entry<String, Double> ratio : ratios.entrySet()) {
      if (!Double.isNaN(ratio.getValue())) {
        json.writeNumberField(ratio.getKey(), rounded(ratio.getValue()));
      }
    }
    json.writeEndObject();
    writeTexts(json, "failed", failures);
    writeTexts(json, "retried", retried);
    writeTexts(json, "unable", unable);
    json.writeArrayFieldStart("measurements");
    for (Measurement measurement : measurements) {
      writeMeasurement(json, measurement);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void writeTexts(JsonGenerator json, String field, List<String> texts)
      throws IOException {
    json.writeArrayFieldStart(field);
    for (String text : texts) {
      json.writeString(text);
    }
    json.writeEndArray();
  }

  private static void writeMachine(JsonGenerator json, Machine machine) throws IOException {
    json.writeObjectFieldStart("machine");
    json.writeStringField("cpu", machine.cpu());
    json.writeNumberField("cores", machine.cores());
    json.writeNumberField("memoryBytes", machine.memoryBytes());
    json.writeStringField("system", machine.system());
    json.writeStringField("jdk", machine.jdk());
    json.writeEndObject();
  }

  private static void writeMeasurement(JsonGenerator json, Measurement measurement)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("question", measurement.question());
    json.writeStringField("system", measurement.system());
    for (Map.Entry<String, String> parameter : measurement.parameters().entrySet()) {
      json.writeStringField(parameter.getKey(), parameter.getValue());
    }
    json.writeStringField("unit", measurement.unit());
    json.writeNumberField("score", rounded(measurement.score()));
    json.writeNumberField("median", rounded(measurement.median()));
    json.writeArrayFieldStart("samples");
    for (double sample : measurement.samples()) {
      json.writeNumber(rounded(sample));
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static double rounded(double value) {
    double parts = isSmall(value) ? 1e6 : 1e3;
    return Math.round(value * parts) / parts;
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, isSmall(value) ? "%.6f" : "%.3f", value);
  }

  /** Whether three decimals would hide most of a figure. */
  private static boolean isSmall(double value) {
    return value != 0 && Math.abs(value) < 0.01;
  }
}
