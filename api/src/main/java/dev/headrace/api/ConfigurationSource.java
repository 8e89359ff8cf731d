package dev.headrace.api;

import dev.headrace.api.error.ConfigurationException;
import dev.headrace.api.error.HeadraceException;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The settings that a file, the environment or a program has, as texts with their places. A later
 * one replaces an earlier one of the same key. Not thread-safe.
 */
final class ConfigurationSource {
  private static final String ENVIRONMENT = "environment";

  private final Map<String, Setting> settings = new LinkedHashMap<>();

  /**
   * A setting.
   *
   * @param key its key
   * @param value its text, without spaces around it
   * @param source the file, the environment, or what the program calls its own
   * @param line 0 if it is not in a file
   */
  record Setting(String key, String value, String source, int line) {

    /** An error that names the place. */
    ConfigurationException wrong(String problem) {
      boolean variable = line == 0 && source.equals(ENVIRONMENT);
      String named = variable ? new ConfigurationKey(key, "").variable() : key;
      String place =
          variable
              ? "Environment variable " + named
              : line == 0 ? source : source + ", line " + line;
      return new ConfigurationException(place + ": " + problem, source, line, named);
    }
  }

  /** The setting of a key; null if there is none. */
  @Nullable Setting find(String key) {
    return settings.get(key);
  }

  /** All settings. */
  List<Setting> all() {
    return List.copyOf(settings.values());
  }

  /** Forgets what there is of some keys. */
  void forget(Collection<String> keys) {
    settings.keySet().removeAll(keys);
  }

  /**
   * Adds what environment variables say. An empty one says nothing.
   *
   * @param environment finds the value of a variable, null if it is not set
   */
  void add(List<ConfigurationKey> keys, Function<String, @Nullable String> environment) {
    for (ConfigurationKey key : keys) {
      String value = environment.apply(key.variable());
      if (value != null && !value.isBlank()) {
        settings.put(key.name(), new Setting(key.name(), value.strip(), ENVIRONMENT, 0));
      }
    }
  }

  /**
   * Adds what a program has.
   *
   * @param texts the values by their keys
   * @param source what messages call the place
   */
  void add(Map<String, String> texts, String source) {
    texts.forEach((key, value) -> settings.put(key, new Setting(key, value.strip(), source, 0)));
  }

  /**
   * Adds a file in UTF-8 of lines {@code key = value}; empty lines and those that begin with # say
   * nothing.
   *
   * @throws ConfigurationException if a line is none of these, or a key is there twice
   * @throws HeadraceException if the file cannot be read
   */
  void add(Path file) {
    Map<String, Setting> own = new LinkedHashMap<>();
    List<String> lines = lines(file);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      int equals = line.indexOf('=');
      String key = equals < 0 ? "" : line.substring(0, equals).strip();
      String value = line.substring(equals + 1).strip();
      Setting setting = new Setting(key, value, file.toString(), i + 1);
      if (key.isEmpty()) {
        throw setting.wrong("a line is KEY = VALUE, or begins with #, but is \"" + line + "\"");
      }
      Setting earlier = own.putIfAbsent(key, setting);
      if (earlier != null) {
        throw setting.wrong(key + " was set in line " + earlier.line() + " already: remove one");
      }
    }
    settings.putAll(own);
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      throw new HeadraceException("There is no file of settings " + file + ": check the path", e);
    } catch (MalformedInputException e) {
      throw new HeadraceException("The file of settings " + file + " is not UTF-8: convert it", e);
    } catch (IOException e) {
      throw new HeadraceException("The file of settings " + file + " cannot be read: " + e, e);
    }
  }
}
