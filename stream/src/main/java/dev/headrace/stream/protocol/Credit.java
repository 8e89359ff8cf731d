package dev.headrace.stream.protocol;

/**
 * How much a stream has buffered or in flight, and how much it may have. The credit of one request:
 *
 * <pre>
 * state     event                   guard                    next      effects
 * free      request sent            it fits                  drawn     its whole allowance is held
 * free      request sent            alone: nothing is held   drawn     bytes may exceed the window
 * drawn     answer received                                  buffered  what is left over returns
 * drawn     failed, or gone after                            free      all of it returns
 *           it was abandoned
 * buffered  batch consumed, or                               free      the rest returns
 *           given back unread
 * </pre>
 *
 * <p>Entries are bounded by the batch size. Bytes are bounded by the stream's window, which grows
 * and shrinks with what the node can spare. Owned by the drain.
 */
final class Credit {

  private final int batchSize;
  private long windowBytes;
  private int entries;
  private long bytes;

  Credit(int batchSize) {
    this.batchSize = batchSize;
  }

  /** Sets how many bytes may be held from now on. What is held already may exceed it. */
  void window(long mostBytes) {
    windowBytes = mostBytes;
  }

  long windowBytes() {
    return windowBytes;
  }

  int entries() {
    return entries;
  }

  long bytes() {
    return bytes;
  }

  int freeEntries() {
    return batchSize - entries;
  }

  long freeBytes() {
    return windowBytes - bytes;
  }

  boolean isUntouched() {
    return entries == 0 && bytes == 0;
  }

  /**
   * Draws a request's allowance.
   *
   * @param alone whether it may exceed the window because nothing else is held
   */
  void draw(NodeRead node, int requestEntries, int requestBytes, boolean alone) {
    boolean fits = requestEntries <= freeEntries() && requestBytes <= freeBytes();
    if (!fits && !(alone && isUntouched() && requestEntries <= batchSize)) {
      throw new IllegalStateException(
          "a request of "
              + requestEntries
              + " entries and "
              + requestBytes
              + " bytes would exceed the stream's credit");
    }
    change(node, requestEntries, requestBytes);
  }

  void giveBack(NodeRead node, int heldEntries, long heldBytes) {
    change(node, -heldEntries, -heldBytes);
    if (entries < 0 || bytes < 0) {
      throw new IllegalStateException("credit was given back twice");
    }
  }

  private void change(NodeRead node, int byEntries, long byBytes) {
    entries += byEntries;
    bytes += byBytes;
    node.heldEntries += byEntries;
    node.heldBytes += byBytes;
  }
}
