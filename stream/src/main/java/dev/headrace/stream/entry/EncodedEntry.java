package dev.headrace.stream.entry;

/**
 * An entry that is about to be stored: its key and its value as regions of arrays, which may be the
 * same array. It is only looked at; what is stored is copied.
 *
 * @param key contains the encoded key
 * @param value contains the encoded value
 * @param expiryMillis when the entry expires, in milliseconds of cluster time; 0 for never
 */
@SuppressWarnings("ArrayRecordComponent") // It is handed over, never compared.
public record EncodedEntry(
    byte[] key,
    int keyOffset,
    int keyLength,
    byte[] value,
    int valueOffset,
    int valueLength,
    long expiryMillis) {

  /** An entry of whole arrays. */
  public static EncodedEntry of(byte[] key, byte[] value, long expiryMillis) {
    return new EncodedEntry(key, 0, key.length, value, 0, value.length, expiryMillis);
  }

  /** What it takes in a store or a batch, in bytes. */
  public long bytes(long term, long counter) {
    return EntryLayout.entryBytes(keyLength, valueLength, term, counter, expiryMillis);
  }
}
