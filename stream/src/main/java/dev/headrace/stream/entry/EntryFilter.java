package dev.headrace.stream.entry;

/** Chooses entries where they lie, without decoding them. For one thread. */
public interface EntryFilter {

  /**
   * Whether an entry is wanted. A write may tear what is read here: the answer is thrown away then,
   * but it must come, or an {@link IndexOutOfBoundsException}, after a bounded time.
   *
   * @param page holds the entry in the form of {@link EntryLayout}
   * @param offset where it begins
   * @param lengthBytes its size, the header included
   */
  boolean accepts(byte[] page, int offset, int lengthBytes);
}
