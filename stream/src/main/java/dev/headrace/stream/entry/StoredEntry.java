package dev.headrace.stream.entry;

/**
 * What the store holds for a key. The value is a copy that belongs to the receiver.
 *
 * @param expiryMillis cluster time, 0 for none
 */
@SuppressWarnings("ArrayRecordComponent") // It is handed over, never compared.
public record StoredEntry(byte[] value, long term, long counter, long expiryMillis) {}
