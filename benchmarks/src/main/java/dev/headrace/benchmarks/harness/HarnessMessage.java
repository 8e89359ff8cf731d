package dev.headrace.benchmarks.harness;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/**
 * One line of text between the comparison and a fork: a verb and named fields.
 *
 * @param verb what to do, or how it ended
 * @param fields the arguments or results, in the order in which they were added
 */
public record HarnessMessage(String verb, Map<String, String> fields) {

  /** A message without fields. */
  public static HarnessMessage of(String verb) {
    return new HarnessMessage(verb, Map.of());
  }

  /** Returns this message with one more field. */
  public HarnessMessage with(String name, Object value) {
    Map<String, String> more = new LinkedHashMap<>(fields);
    more.put(name, String.valueOf(value));
    return new HarnessMessage(verb, more);
  }

  /** Returns this message with one more field that holds a list of numbers. */
  public HarnessMessage with(String name, double[] values) {
    StringJoiner list = new StringJoiner(",");
    for (double value : values) {
      list.add(Double.toString(value));
    }
    return with(name, list.toString());
  }

  /**
   * Returns a field.
   *
   * @throws IllegalArgumentException if the message has no such field
   */
  public String text(String name) {
    String value = fields.get(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "The message \"" + verb + "\" has no field \"" + name + "\", only " + fields.keySet());
    }
    return value;
  }

  /** Returns a field as an integer. */
  public int whole(String name) {
    return Integer.parseInt(text(name));
  }

  /** Returns a field as a number. */
  public double number(String name) {
    return Double.parseDouble(text(name));
  }

  /** Returns a field as a list of numbers. */
  public double[] numbers(String name) {
    String list = text(name);
    if (list.isEmpty()) {
      return new double[0];
    }
    return Arrays.stream(list.split(",", -1)).mapToDouble(Double::parseDouble).toArray();
  }

  /** Returns this message as one line without its end. */
  String encode() {
    StringBuilder line = new StringBuilder(verb);
    fields.forEach(
        (name, value) ->
            line.append(' ').append(name).append('=').append(URLEncoder.encode(value, UTF_8)));
    return line.toString();
  }

  /** Reads a line written by {@link #encode}. */
  static HarnessMessage decode(String line) {
    String[] words = line.split(" ", -1);
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 1; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      fields.put(
          words[i].substring(0, equals), URLDecoder.decode(words[i].substring(equals + 1), UTF_8));
    }
    return new HarnessMessage(words[0], fields);
  }
}
