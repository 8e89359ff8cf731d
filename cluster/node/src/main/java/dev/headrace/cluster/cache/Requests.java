package dev.headrace.cluster.cache;

import static java.util.Objects.requireNonNull;

import dev.headrace.api.CacheEntry;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.EntryTooLargeException;
import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.FunctionMissingException;
import dev.headrace.api.stream.EntryVersion;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.replication.client.EncodedWrites;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.client.WriteGroups;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.stream.function.EncodedUpdate;
import dev.headrace.stream.operator.FunctionCall;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Makes the requests of a cache's methods: checks and encodes their arguments. Thread-safe. */
final class Requests<K, V> implements EntryRequests<K, V> {
  private static final byte[] NO_VALUE = {};

  /** The most keys that are routed together. */
  private static final int MAX_SLICE_KEYS = 8192;

  /** The bytes of keys after which no further key is routed together with them. */
  private static final int MAX_SLICE_BYTES = 1 << 20;

  /** The most writes that are grouped together: the more they are, the fewer operations. */
  static final int MAX_SLICE_WRITES = 1 << 14;

  /** The bytes of writes after which no further one is grouped together with them. */
  private static final int MAX_SLICE_WRITE_BYTES = 2 << 20;

  private final AgreedSettings<K, V> agreed;
  private final CacheSettings<K, V> settings;
  private final IntSupplier segments;
  private final LongSupplier clusterMillis;
  private final IntSupplier maxEntryBytes;
  private final IntSupplier protocol;
  private final CodecTrial<K> keyTrial;

  Requests(
      AgreedSettings<K, V> agreed,
      IntSupplier segments,
      LongSupplier clusterMillis,
      IntSupplier maxEntryBytes,
      IntSupplier protocol) {
    this.agreed = agreed;
    this.settings = agreed.known();
    this.segments = segments;
    this.clusterMillis = clusterMillis;
    this.maxEntryBytes = maxEntryBytes;
    this.protocol = protocol;
    this.keyTrial = CodecTrial.ofKeys(settings.keyCodec(), settings.name());
  }

  /** The number of the format to write. */
  private int format() {
    return agreed.write().format();
  }

  Request get(K key, boolean wantValue) {
    return Request.get(settings.name(), agreed.read().format(), keyAlone(key), wantValue);
  }

  /** Reads the value of an encoded key. */
  Request get(byte[] key) {
    return Request.get(settings.name(), agreed.read().format(), key, true);
  }

  /** Reads the values of encoded keys, whose segments a caller knows by their epochs. */
  BulkRead read(EncodedKeys keys, long segmentEpoch, long epoch) {
    return new BulkRead(0, settings.name(), agreed.read().format(), segmentEpoch, epoch, keys);
  }

  /** Encodes keys in their order, up to some thousands of them into one array. */
  List<EncodedKeys> encodeKeys(List<? extends K> keys) {
    List<EncodedKeys> slices = new ArrayList<>();
    ByteOutput out = new ByteOutput();
    int[] ends = new int[Math.min(keys.size(), MAX_SLICE_KEYS)];
    int count = 0;
    for (K key : keys) {
      int start = out.size();
      encode(settings.keyCodec(), requireNonNull(key, "key"), "key", out);
      checkSize(out.size() - start, 0);
      ends[count++] = out.size();
      if (count == ends.length || out.size() > MAX_SLICE_BYTES) {
        slices.add(new EncodedKeys(out.toByteArray(), Arrays.copyOf(ends, count)));
        out.reset();
        count = 0;
      }
    }
    if (count > 0) {
      slices.add(new EncodedKeys(out.toByteArray(), Arrays.copyOf(ends, count)));
    }
    return slices;
  }

  /**
   * Encodes the next entries that are to be written, some thousands of them.
   *
   * @param entries at least one
   * @param writes gets them; empty
   */
  EncodedWrites encodeNext(
      Iterator<? extends Map.Entry<? extends K, ? extends V>> entries, EncodedWrites writes) {
    long expiryMillis = expiryMillis(settings.lifespan());
    do {
      Map.Entry<? extends K, ? extends V> entry = entries.next();
      encode(entry.getKey(), entry.getValue(), expiryMillis, writes);
    } while (entries.hasNext()
        && writes.count() < MAX_SLICE_WRITES
        && writes.size() < MAX_SLICE_WRITE_BYTES);
    return writes;
  }

  private void encode(K key, V value, long expiryMillis, EncodedWrites writes) {
    ByteOutput out = writes.output();
    int start = writes.start();
    encode(settings.keyCodec(), requireNonNull(key, "key"), "key", out);
    int keyEnd = out.size();
    AgreedSettings.Agreed<K, V> writing = agreed.write();
    encode(writing.settings().valueCodec(), requireNonNull(value, "value"), "value", out);
    int end = out.size();
    if (!keyTrial.passed()) {
      keyTrial.check(key, Arrays.copyOfRange(out.array(), start, keyEnd));
    }
    if (!writing.valueTrial().passed()) {
      writing.valueTrial().check(value, Arrays.copyOfRange(out.array(), keyEnd, end));
    }
    checkSize((long) keyEnd - start, (long) end - keyEnd);
    writes.end(keyEnd - start, expiryMillis);
  }

  /** The operation for a group of writes. */
  Request put(WriteGroups groups, int group) {
    return groups.request(group, settings.name(), format(), false);
  }

  /** PUT, PUT_IF_ABSENT or REPLACE, with the lifespan of the cache's entries. */
  Request set(Kind kind, K key, V value, boolean wantPrevious) {
    return set(kind, key, value, settings.lifespan(), wantPrevious);
  }

  /** PUT, PUT_IF_ABSENT or REPLACE, with a lifespan of its own. */
  Request set(Kind kind, K key, V value, Duration lifespan, boolean wantPrevious) {
    long expiryMillis = expiryMillis(lifespan);
    byte[] encodedKey = encodeKey(key);
    byte[] encodedValue = encodeValue(value);
    checkSize(encodedKey, encodedValue);
    return Request.set(
        kind, settings.name(), format(), encodedKey, encodedValue, expiryMillis, wantPrevious);
  }

  @Override
  public Request set(boolean ifAbsent, K key, V value, @Nullable Duration lifespan) {
    Kind kind = ifAbsent ? Kind.PUT_IF_ABSENT : Kind.PUT;
    return set(kind, key, value, lifespan == null ? settings.lifespan() : lifespan, false);
  }

  @Override
  public byte[] valueAlone(V value) {
    byte[] encodedValue = encodeValue(value);
    checkSize(NO_VALUE, encodedValue);
    return encodedValue;
  }

  @Override
  public byte[] keyOf(K key) {
    return keyAlone(key);
  }

  @Override
  public Request set(byte[] key, byte[] value, long expiryMillis) {
    checkSize(key, value);
    return Request.set(Kind.PUT, settings.name(), format(), key, value, expiryMillis, false);
  }

  @Override
  public K decodeKey(byte[] key) {
    return settings.keyCodec().decode(ByteInput.of(key));
  }

  /** Has the primary run a processor on a key's entry. */
  <A> Request process(K key, FunctionName<A, ?> processor, A argument) {
    requireNonNull(argument, "argument");
    if (protocol.getAsInt() < Operation.PROCESS_PROTOCOL) {
      throw new FunctionMissingException(
          "A node of the cluster is of a version that has no processors: upgrade it first (status"
              + " tells the versions)",
          FaultScope.ofCache(settings.name()),
          processor.name(),
          "");
    }
    byte[] encodedKey = encodeKey(key);
    byte[] call = FunctionCall.of(FunctionCall.Kind.PROCESS, processor, argument).encode();
    checkSize(encodedKey, call);
    return Request.process(
        settings.name(), format(), encodedKey, call, expiryMillis(settings.lifespan()));
  }

  /** The result of a processor. */
  <R> @Nullable R processed(FunctionName<?, R> processor, OperationReply reply) {
    return EncodedUpdate.result(reply.value(), processor, settings.name());
  }

  Request remove(K key, boolean wantPrevious) {
    return Request.remove(settings.name(), format(), keyAlone(key), wantPrevious);
  }

  Request replaceIfEqual(K key, V expected, V value) {
    byte[] encodedKey = encodeKey(key);
    byte[] compared = encodeValue(requireNonNull(expected, "expected value"));
    byte[] encodedValue = encodeValue(value);
    checkSize(encodedKey, compared);
    checkSize(encodedKey, encodedValue);
    return Request.ifEqual(
        settings.name(),
        format(),
        encodedKey,
        compared,
        encodedValue,
        expiryMillis(settings.lifespan()));
  }

  Request removeIfEqual(K key, V expected) {
    byte[] compared = encodeValue(requireNonNull(expected, "expected value"));
    byte[] encodedKey = encodeKey(key);
    checkSize(encodedKey, compared);
    return Request.ifEqual(settings.name(), format(), encodedKey, compared, null, 0);
  }

  /**
   * Sets an entry, or removes it without a value, if it still has the version of a reply.
   *
   * @param lifespan the lifespan from now on; null to keep the entry's remaining one, or to give a
   *     new entry that of the cache
   */
  Request ifUnchanged(
      byte[] key, OperationReply read, @Nullable V value, @Nullable Duration lifespan) {
    byte[] encodedValue = value == null ? null : encodeValue(value);
    if (encodedValue != null) {
      checkSize(key, encodedValue);
    }
    boolean keeps = lifespan == null && read.value() != null;
    long expiryMillis =
        keeps ? read.number() : expiryMillis(lifespan == null ? settings.lifespan() : lifespan);
    return Request.ifVersion(
        settings.name(),
        format(),
        key,
        read.versionTerm(),
        read.versionCounter(),
        encodedValue,
        encodedValue == null ? 0 : expiryMillis,
        true);
  }

  /** Sets an entry that still has a version, with the lifespan of the cache's entries. */
  Request replaceIfVersion(K key, EntryVersion version, V value) {
    return replaceIfVersion(key, version, value, settings.lifespan());
  }

  /** Sets an entry that still has a version, with a lifespan of its own. */
  Request replaceIfVersion(K key, EntryVersion version, V value, Duration lifespan) {
    long expiryMillis = expiryMillis(lifespan);
    byte[] encodedKey = encodeKey(key);
    byte[] encodedValue = encodeValue(value);
    checkSize(encodedKey, encodedValue);
    return ifVersion(encodedKey, version, encodedValue, expiryMillis);
  }

  /** Removes an entry that still has a version. */
  Request removeIfVersion(K key, EntryVersion version) {
    return ifVersion(keyAlone(key), version, null, 0);
  }

  private Request ifVersion(
      byte[] key, EntryVersion version, byte @Nullable [] value, long expiryMillis) {
    requireNonNull(version, "version");
    return Request.ifVersion(
        settings.name(),
        format(),
        key,
        version.term(),
        version.counter(),
        value,
        expiryMillis,
        false);
  }

  /** The entry in the reply to a GET, or null. */
  @Nullable CacheEntry<K, V> entry(K key, OperationReply reply) {
    V value = value(reply);
    return value == null
        ? null
        : new CacheEntry<>(
            key,
            value,
            new EntryVersion(reply.versionTerm(), reply.versionCounter()),
            reply.number() == 0 ? null : Instant.ofEpochMilli(reply.number()));
  }

  List<Request> clearAll() {
    List<Request> all = new ArrayList<>();
    for (int segment = 0; segment < segments.getAsInt(); segment++) {
      all.add(Request.clear(settings.name(), format(), segment));
    }
    return all;
  }

  @Override
  public long expiryMillisOf(@Nullable Duration lifespan) {
    return expiryMillis(lifespan == null ? settings.lifespan() : lifespan);
  }

  /** The time at which an entry written now expires, in cluster time; 0 for never. */
  private long expiryMillis(Duration lifespan) {
    return Expiry.millis(lifespan, clusterMillis);
  }

  /** The value in a reply, or null. */
  @Nullable V value(OperationReply reply) {
    byte[] bytes = reply.value();
    if (bytes == null) {
      return null;
    }
    return decodeValue(ByteInput.of(bytes));
  }

  /** Decodes a value. */
  V decodeValue(ByteInput bytes) {
    Codec<V> codec = agreed.known().valueCodec();
    try {
      return codec.decode(bytes);
    } catch (RuntimeException e) {
      throw new CodecException(
          "A value of cache \""
              + settings.name()
              + "\" cannot be decoded as "
              + codec.format()
              + "; open the cache with the codec that wrote it",
          FaultScope.ofCache(settings.name()),
          e);
    }
  }

  /** Fails if the entry is so large that no node would read the request. */
  private void checkSize(byte[] key, byte[] value) {
    checkSize(key.length, value.length);
  }

  private void checkSize(long keyBytes, long valueBytes) {
    long bytes = keyBytes + valueBytes;
    int limitBytes = maxEntryBytes.getAsInt();
    if (bytes > limitBytes) {
      throw EntryTooLargeException.of(settings.name(), bytes, limitBytes);
    }
  }

  private byte[] keyAlone(K key) {
    byte[] encodedKey = encodeKey(key);
    checkSize(encodedKey, NO_VALUE);
    return encodedKey;
  }

  private byte[] encodeKey(K key) {
    byte[] encoded = encode(settings.keyCodec(), requireNonNull(key, "key"), "key");
    keyTrial.check(key, encoded);
    return encoded;
  }

  private byte[] encodeValue(V value) {
    AgreedSettings.Agreed<K, V> writing = agreed.write();
    byte[] encoded =
        encode(writing.settings().valueCodec(), requireNonNull(value, "value"), "value");
    writing.valueTrial().check(value, encoded);
    return encoded;
  }

  private <T> byte[] encode(Codec<T> codec, T object, String what) {
    ByteOutput out = new ByteOutput();
    encode(codec, object, what, out);
    return out.toByteArray();
  }

  private <T> void encode(Codec<T> codec, T object, String what, ByteOutput out) {
    try {
      codec.encode(object, out);
    } catch (ClassCastException e) {
      throw e; // thrown for a key or value of another type
    } catch (RuntimeException e) {
      throw new CodecException(
          "A "
              + what
              + " of cache \""
              + settings.name()
              + "\" cannot be encoded as "
              + codec.format()
              + "; nothing was written",
          FaultScope.ofCache(settings.name()),
          e);
    }
  }
}
