package dev.headrace.cli.cluster;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.Headrace;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.operator.EntryCondition;
import dev.headrace.cli.cluster.KnownCaches.Formats;
import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.cluster.catalogue.Catalogue;
import dev.headrace.http.expression.FilterText;
import dev.headrace.http.text.TextCodec;
import java.util.List;
import picocli.CommandLine.Option;

/** The cache that a command means. */
public final class CacheOptions {
  private static final Formats STRINGS = new Formats("string", "string");
  private static final int NAMED = 10;

  @Option(
      names = "--cache",
      paramLabel = "NAME",
      defaultValue = "default",
      description =
          "The cache's name (${DEFAULT-VALUE}). A new cache holds strings; in Java: "
              + "cache(NAME, String.class, String.class).")
  private String name = "";

  /** The cache of a name. */
  public static CacheOptions named(String name) {
    CacheOptions options = new CacheOptions();
    options.name = name;
    return options;
  }

  /** The cache's name. */
  public String name() {
    return name;
  }

  /**
   * Opens the cache to read it as text, whatever built-in formats it has.
   *
   * @throws CommandFailure if there is no such cache, or its formats are not known here
   */
  public Cache<String, String> openToRead(Headrace node) throws CommandFailure {
    Formats formats = formats(node);
    boolean readable =
        TextCodec.of(formats.keys()).readable() && TextCodec.of(formats.values()).readable();
    require(
        readable,
        formats,
        "the command line reads what has built-in codecs; read this cache in Java");
    return new KnownCaches(node).open(name, formats);
  }

  /**
   * Reads a condition on the cache's entries.
   *
   * @throws dev.headrace.http.expression.FilterSyntaxException if it cannot be read, or does not
   *     fit the cache
   * @throws CommandFailure if there is no such cache
   */
  public EntryCondition condition(Headrace node, String text) throws CommandFailure {
    Formats formats = formats(node);
    return FilterText.condition(text, formats.keys(), formats.values());
  }

  /**
   * Reads names of fields of the cache's values.
   *
   * @throws dev.headrace.http.expression.FilterSyntaxException if the values have no such field
   * @throws CommandFailure if there is no such cache
   */
  public SelectedFields select(Headrace node, List<String> fields) throws CommandFailure {
    Formats formats = formats(node);
    return SelectedFields.of(fields, formats);
  }

  /**
   * Opens the cache to read encoded keys and values.
   *
   * @throws CommandFailure if there is no such cache
   */
  public Cache<byte[], byte[]> openEncoded(Headrace node) throws CommandFailure {
    Formats formats = formats(node);
    return node.cache(
        new CacheSettings<>(
            name, Codecs.encoded(formats.keys()), Codecs.encoded(formats.values())));
  }

  /**
   * The same to empty it.
   *
   * @throws CommandFailure if there is no such cache, or no user may empty it
   */
  public Cache<byte[], byte[]> openToClear(Headrace node) throws CommandFailure {
    requireOwn();
    return openEncoded(node);
  }

  /**
   * Opens the cache to write single values as text.
   *
   * @throws CommandFailure if its keys or values cannot be written as text
   */
  public Cache<String, String> openToWrite(Headrace node) throws CommandFailure {
    requireOwn();
    KnownCaches caches = new KnownCaches(node);
    Formats formats = formatsOrNew(caches);
    boolean writable =
        TextCodec.of(formats.keys()).writable() && TextCodec.of(formats.values()).writable();
    require(writable, formats, "put writes no records; write them in Java, or name another cache");
    return caches.open(name, formats);
  }

  /**
   * Opens the cache to delete entries, whatever its values are.
   *
   * @throws CommandFailure if there is no such cache, or its keys cannot be written as text
   */
  public Cache<String, String> openToDelete(Headrace node) throws CommandFailure {
    requireOwn();
    Formats formats = formats(node);
    require(
        TextCodec.of(formats.keys()).writable(),
        formats,
        "the command line writes no keys of this format; delete them in Java");
    return new KnownCaches(node).open(name, formats);
  }

  /**
   * Opens the cache to write JSON objects as text.
   *
   * @throws CommandFailure if its values are not strings
   */
  public Cache<String, String> openToLoad(Headrace node) throws CommandFailure {
    requireOwn();
    KnownCaches caches = new KnownCaches(node);
    Formats formats = formatsOrNew(caches);
    boolean writable =
        TextCodec.of(formats.keys()).writable() && formats.values().equals(STRINGS.values());
    require(writable, formats, "load writes strings, which are JSON objects; name another cache");
    return caches.open(name, formats);
  }

  private Formats formats(Headrace node) throws CommandFailure {
    KnownCaches caches = new KnownCaches(node);
    Formats formats = caches.formats(name);
    if (formats == null) {
      throw missing(caches.names());
    }
    return formats;
  }

  private Formats formatsOrNew(KnownCaches caches) {
    Formats formats = caches.formats(name);
    if (formats == null) {
      caches.create(name, STRINGS);
      return STRINGS;
    }
    return formats;
  }

  /** Refuses what no user may write to, before anything is noted of it. */
  private void requireOwn() throws CommandFailure {
    if (name.equals(Catalogue.NAME)) {
      throw new CommandFailure(
          "cache \"" + name + "\" has the formats of all others, and is not for users to write to");
    }
    try {
      var unused = CacheSettings.of(name, String.class, String.class);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()), e);
    }
  }

  private void require(boolean condition, Formats formats, String advice) throws CommandFailure {
    if (!condition) {
      throw new CommandFailure(
          "cache \""
              + name
              + "\" has keys of "
              + formats.keys()
              + " and values of "
              + formats.values()
              + "; "
              + advice);
    }
  }

  private CommandFailure missing(List<String> present) {
    String names = String.join(", ", present.stream().limit(NAMED).toList());
    int more = present.size() - NAMED;
    return new CommandFailure(
        CommandFailure.NOT_FOUND,
        "there is no cache \""
            + name
            + "\"; there "
            + (present.isEmpty() ? "is none yet" : present.size() == 1 ? "is: " : "are: ")
            + names
            + (more > 0 ? " and " + more + " more" : ""),
        null);
  }
}
