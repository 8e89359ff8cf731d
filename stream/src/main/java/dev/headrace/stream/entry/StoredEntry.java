package dev.headrace.stream.entry;

/**
 * What the store holds for a key.
 *
 * @param value a copy, which belongs to the caller
 * @param term the term of the entry's version
 * @param counter the counter of the entry's version
 * @param expiryMillis in cluster time, 0 for none
 */
@SuppressWarnings("ArrayRecordComponent") // It is handed over, never compared.
public record StoredEntry(byte[] value, long term, long counter, long expiryMillis) {}
