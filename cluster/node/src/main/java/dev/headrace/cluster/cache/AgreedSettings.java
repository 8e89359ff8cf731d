package dev.headrace.cluster.cache;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.codec.FormatCodec;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.FaultScope;
import org.jspecify.annotations.Nullable;

/**
 * The settings with which a program has opened a cache, with a codec of its values for the format
 * with which the cache began. Programs with different forms of one record thereby use one cache.
 *
 * <p>The cluster notes the format of the program that has opened the cache first. As long as the
 * cluster holds nothing there are no notes: each reads with its own format then, and looks for a
 * note each time, and whoever writes first makes it before. What is agreed never changes.
 * Thread-safe.
 */
public final class AgreedSettings<K, V> {
  private final CacheSettings<K, V> own;
  private final Agreed<K, V> alone;
  private final @Nullable FormatNotes notes;
  private volatile @Nullable Agreed<K, V> agreed;

  /**
   * What a cache is used with.
   *
   * @param format the number of the formats of its keys and values
   */
  record Agreed<K, V>(CacheSettings<K, V> settings, int format, CodecTrial<V> valueTrial) {

    static <K, V> Agreed<K, V> of(CacheSettings<K, V> settings) {
      return new Agreed<>(
          settings,
          Formats.hash(settings.keyCodec(), settings.valueCodec()),
          CodecTrial.ofValues(settings.valueCodec(), settings.name()));
    }
  }

  private AgreedSettings(CacheSettings<K, V> own, @Nullable FormatNotes notes) {
    this.own = own;
    this.notes = notes;
    this.alone = Agreed.of(own);
    this.agreed = notes == null ? alone : null;
  }

  /** Settings that are as they are. */
  public static <K, V> AgreedSettings<K, V> fixed(CacheSettings<K, V> own) {
    return new AgreedSettings<>(own, null);
  }

  /** Settings that follow the notes of the cluster, if there are records in values. */
  public static <K, V> AgreedSettings<K, V> following(CacheSettings<K, V> own, FormatNotes notes) {
    boolean raw = own.keyCodec() instanceof FormatCodec || own.valueCodec() instanceof FormatCodec;
    boolean records = own.valueCodec().format().contains("record ");
    return new AgreedSettings<>(own, records && !raw ? notes : null);
  }

  /** Whether the cluster has a say in these. */
  public boolean follows() {
    return notes != null;
  }

  /** What is known now. Sends no message. */
  public CacheSettings<K, V> known() {
    return present().settings();
  }

  /** Whether the format is known. */
  public boolean isAgreed() {
    return agreed != null;
  }

  /**
   * The settings to read with. Waits for the note of the cluster until there is something to read.
   *
   * @throws CodecException if values of the cache cannot be read
   */
  public CacheSettings<K, V> toRead() {
    return read().settings();
  }

  /**
   * Agrees with the cluster now.
   *
   * @throws CodecException if values of the cache cannot be read
   * @throws dev.headrace.api.error.HeadraceException if the cluster does not answer
   */
  public void agree() {
    var unused = write();
  }

  /** What to read with. */
  Agreed<K, V> read() {
    Agreed<K, V> present = agreed;
    if (present != null || notes == null) {
      return present == null ? alone : present;
    }
    FormatNotes.Note found = notes.find(own.name());
    return found == null ? alone : agree(found);
  }

  /** What to write with. */
  Agreed<K, V> write() {
    Agreed<K, V> present = agreed;
    if (present != null || notes == null) {
      return present == null ? alone : present;
    }
    FormatNotes.Note mine =
        new FormatNotes.Note(own.keyCodec().format(), own.valueCodec().format());
    return agree(notes.claim(own.name(), mine));
  }

  private Agreed<K, V> present() {
    Agreed<K, V> present = agreed;
    return present == null ? alone : present;
  }

  private Agreed<K, V> agree(FormatNotes.Note began) {
    String keys = own.keyCodec().format();
    if (!keys.equals(began.keys())) {
      throw new CodecException(
          "The keys of cache \"%s\" are \"%s\", and \"%s\" here. Keys must not change, because their bytes decide which are equal: open the cache with the codec that wrote it, or stream it into another one"
              .formatted(own.name(), began.keys(), keys),
          FaultScope.ofCache(own.name()));
    }
    Codec<V> values;
    try {
      values = Codecs.evolved(own.valueCodec(), began.values());
    } catch (CodecException e) {
      throw new CodecException(
          "Cache \"%s\" cannot be opened with the format \"%s\", because it began with \"%s\": %s. Components may be added, removed and reordered, and nothing else: give a changed one another name, or stream the cache into another one"
              .formatted(own.name(), own.valueCodec().format(), began.values(), e.getMessage()),
          FaultScope.ofCache(own.name()),
          e);
    }
    Agreed<K, V> found =
        Agreed.of(
            new CacheSettings<>(own.name(), own.keyCodec(), values).withLifespan(own.lifespan()));
    synchronized (this) {
      Agreed<K, V> present = agreed;
      if (present == null) {
        present = found;
        agreed = present;
      }
      return present;
    }
  }
}
