package dev.headrace.http.load;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the records of one body. Used by one thread at a time. */
interface RecordReader {

  /**
   * Reads a record.
   *
   * @param text without the end of its line
   * @return the encoded key and value; null if it is no entry, but belongs to the form
   * @throws IllegalArgumentException if it is none of the form, or its key or value is none of the
   *     cache's formats
   * @throws dev.headrace.http.exchange.ProblemException if nothing can be read without it
   */
  Map.@Nullable Entry<byte[], byte[]> read(byte[] text);
}
