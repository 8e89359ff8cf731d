package dev.headrace.stream.entry;

/**
 * Adds up entries where they lie, without copying them. A write may be tearing an entry that is
 * read, so it is noted first; what was noted counts once it is known that no write has come in
 * between. For one thread.
 */
public interface EntryReducer {

  /** Begins a run of entries, and forgets what was noted and not counted. */
  void begin();

  /**
   * Notes an entry, unless it is not wanted. It must return, or throw an {@link
   * IndexOutOfBoundsException}, after a bounded time, whatever the bytes are.
   *
   * @param page holds the entry in the form of {@link EntryLayout}
   * @param offset where it begins
   * @param lengthBytes its size, the header included
   * @return 0, or how many bytes the result would need if it has no room for the entry, which is
   *     not noted then
   */
  long note(byte[] page, int offset, int lengthBytes);

  /** How many entries of the run are noted. */
  int noted();

  /** Counts what was noted. */
  void count();
}
