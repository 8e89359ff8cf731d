package dev.headrace.stream.batch;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.Codec;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.EntryView;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.Projection;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Decodes a batch into entries, keys or values, one at a time. A stream has one decoder, which
 * allocates nothing per entry but the result. Not thread-safe.
 *
 * @param <T> what it decodes: entries, keys or values
 */
public final class EntryDecoder<T> {

  private final Projection projection;
  private final Codec<?> keyCodec;
  private final Codec<?> valueCodec;
  private final EntryView view = new EntryView();
  private final ByteInput keyInput = new ByteInput();
  private final ByteInput valueInput = new ByteInput();

  private ByteBuffer entries = ByteBuffer.allocate(0);
  private int index;
  private int limit;

  /** Where the key lies that was handed over or skipped last. */
  private int lastKeyOffset;

  private int lastKeyLength;

  private EntryDecoder(Projection projection, Codec<?> keyCodec, Codec<?> valueCodec) {
    this.projection = projection;
    this.keyCodec = keyCodec;
    this.valueCodec = valueCodec;
  }

  /** A decoder of whole entries. */
  public static <K, V> EntryDecoder<Map.Entry<K, V>> entries(
      Codec<K> keyCodec, Codec<V> valueCodec) {
    return new EntryDecoder<>(Projection.ENTRIES, keyCodec, valueCodec);
  }

  /** A decoder of keys. */
  public static <K> EntryDecoder<K> keys(Codec<K> keyCodec) {
    return new EntryDecoder<>(Projection.KEYS, keyCodec, keyCodec);
  }

  /** A decoder of values. */
  public static <V> EntryDecoder<V> values(Codec<V> valueCodec) {
    return new EntryDecoder<>(Projection.VALUES, valueCodec, valueCodec);
  }

  /** Which parts of entries the batches must contain. */
  public Projection projection() {
    return projection;
  }

  /** Begins another batch, from the buffer's position to its limit. */
  public void begin(ByteBuffer batch) {
    entries = batch;
    index = batch.position();
    limit = batch.limit();
  }

  /**
   * Whether the next entry has expired. Asks for the time only if the entry has an expiry.
   *
   * @throws dev.headrace.api.error.WireException if the bytes are not an entry's
   */
  public boolean expired(LongSupplier clusterMillis) {
    ByteBuffer batch = entries;
    if (index >= limit || !EntryLayout.hasExpiry(batch, index)) {
      return false;
    }
    view.parse(batch, index, limit);
    return view.expiryMillis() <= clusterMillis.getAsLong();
  }

  /** Skips the next entry without decoding it, and returns its encoded key. */
  public byte[] skip() {
    index = view.parse(entries, index, limit);
    lastKeyOffset = view.keyOffset();
    lastKeyLength = view.keyLength();
    return view.key(entries);
  }

  /** The encoded key of the entry that was decoded or skipped last. Not for batches of values. */
  public byte[] lastKey() {
    byte[] key = new byte[lastKeyLength];
    entries.get(lastKeyOffset, key);
    return key;
  }

  /** The hash of that key. */
  public long lastHash(HashSpace space) {
    return space.hash(entries, lastKeyOffset, lastKeyLength);
  }

  /** The hash of the next entry's key; there must be a next entry. */
  public long nextHash(HashSpace space) {
    view.parse(entries, index, limit);
    return space.hash(entries, view.keyOffset(), view.keyLength());
  }

  /** A decoder of the same kind, without a batch. */
  public EntryDecoder<T> another() {
    return new EntryDecoder<>(projection, keyCodec, valueCodec);
  }

  /**
   * Decodes the next entry.
   *
   * @throws dev.headrace.api.error.WireException if the bytes are not an entry's
   * @throws RuntimeException if a codec throws it
   */
  @SuppressWarnings("unchecked") // The factories bind T to the codecs.
  public T next() {
    ByteBuffer batch = entries;
    index = view.parse(batch, index, limit);
    lastKeyOffset = view.keyOffset();
    lastKeyLength = view.keyLength();
    return switch (projection) {
      case KEYS -> (T) key(batch);
      case VALUES -> (T) value(batch);
      default -> (T) new StreamEntry<>(key(batch), value(batch));
    };
  }

  private Object key(ByteBuffer batch) {
    int start = view.keyOffset();
    keyInput.reset(batch, start, start + view.keyLength());
    return present(keyCodec.decode(keyInput), keyCodec);
  }

  private Object value(ByteBuffer batch) {
    int start = view.valueOffset();
    valueInput.reset(batch, start, start + view.valueLength());
    return present(valueCodec.decode(valueInput), valueCodec);
  }

  private static Object present(Object decoded, Codec<?> codec) {
    if (decoded == null) {
      throw new IllegalStateException(
          "the codec of format \"" + codec.format() + "\" decoded null, which is no key or value");
    }
    return decoded;
  }
}
