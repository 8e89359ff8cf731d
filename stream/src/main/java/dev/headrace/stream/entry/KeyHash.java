package dev.headrace.stream.entry;

/** A 64-bit hash of a key's encoded bytes. It must be the same on every node. */
@FunctionalInterface
public interface KeyHash {
  long hash(byte[] key, int offset, int length);
}
