package dev.headrace.api;

import dev.headrace.api.ConfigurationSource.Setting;
import dev.headrace.api.error.ConfigurationException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Settings of something beside a node, from the file and the environment that the node's own come
 * from: those whose keys have a prefix. {@link NodeConfiguration} leaves them alone. Not
 * thread-safe.
 */
public final class ConfigurationSection {
  private final String prefix;
  private final Map<ConfigurationKey, Consumer<Setting>> settings = new LinkedHashMap<>();

  /**
   * A section without settings.
   *
   * @param name one of {@link NodeConfiguration#SECTIONS}; a dot follows it in the keys
   */
  public ConfigurationSection(String name) {
    if (!NodeConfiguration.SECTIONS.contains(name)) {
      throw new IllegalArgumentException("There is no section " + name);
    }
    prefix = name + ".";
  }

  /**
   * A setting that is a text.
   *
   * @param name its key without the prefix
   * @param allowed what its value may be, as part of a sentence
   * @param set takes its value, or throws an {@link IllegalArgumentException} whose message begins
   *     with {@code name}
   * @return this
   */
  public ConfigurationSection text(String name, String allowed, Consumer<String> set) {
    return add(name, allowed, text -> text, set);
  }

  /** A setting that is a whole number; as {@link #text}. */
  public ConfigurationSection number(String name, String allowed, IntConsumer set) {
    return add(name, allowed, Integer::parseInt, set::accept);
  }

  /** A setting that is a time; as {@link #text}. */
  public ConfigurationSection time(String name, Consumer<Duration> set) {
    return add(name, NodeConfiguration.TIME, ConfigurationText::duration, set);
  }

  /** A setting that has several values, with commas between them; as {@link #text}. */
  public ConfigurationSection list(String name, String allowed, Consumer<List<String>> set) {
    return add(name, allowed, ConfigurationText::list, set);
  }

  private <T> ConfigurationSection add(
      String name, String allowed, Function<String, T> parser, Consumer<T> set) {
    ConfigurationKey key = new ConfigurationKey(prefix + name, allowed);
    settings.put(key, setting -> apply(key, setting, parser, set));
    return this;
  }

  private <T> void apply(
      ConfigurationKey key, Setting setting, Function<String, T> parser, Consumer<T> set) {
    T value;
    try {
      value = parser.apply(setting.value());
    } catch (IllegalArgumentException | ArithmeticException e) { // all that parsers throw
      throw setting.wrong(
          key.name() + " must be " + key.allowed() + ", but is \"" + setting.value() + "\"");
    }
    try {
      set.accept(value);
    } catch (IllegalArgumentException e) {
      throw setting.wrong(prefix + e.getMessage());
    }
  }

  /** All keys, in the order in which they were added. */
  public List<ConfigurationKey> keys() {
    return List.copyOf(settings.keySet());
  }

  /**
   * Reads all settings that there are.
   *
   * @param file null for none
   * @param environment finds the value of an environment variable, null if it is not set; it counts
   *     more than the file
   * @throws ConfigurationException if the file has a setting of this section that does not exist,
   *     or if a value is wrong
   * @throws dev.headrace.api.error.HeadraceException if the file cannot be read
   */
  public void read(@Nullable Path file, Function<String, @Nullable String> environment) {
    ConfigurationSource source = source(file, environment);
    settings.forEach(
        (key, reader) -> {
          Setting setting = source.find(key.name());
          if (setting != null) {
            reader.accept(setting);
          }
        });
  }

  /**
   * Whether a file or an environment has a setting; its value is not looked at.
   *
   * @param name its key without the prefix
   * @throws ConfigurationException if the file has a setting of this section that does not exist
   * @throws dev.headrace.api.error.HeadraceException if the file cannot be read
   */
  public boolean has(
      String name, @Nullable Path file, Function<String, @Nullable String> environment) {
    return source(file, environment).find(prefix + name) != null;
  }

  private ConfigurationSource source(
      @Nullable Path file, Function<String, @Nullable String> environment) {
    ConfigurationSource source = new ConfigurationSource();
    if (file != null) {
      source.add(file);
      List<Setting> own =
          source.all().stream().filter(setting -> setting.key().startsWith(prefix)).toList();
      NodeConfiguration.checkKnown(own, keys());
    }
    source.add(keys(), environment);
    return source;
  }
}
