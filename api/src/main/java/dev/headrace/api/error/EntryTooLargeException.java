package dev.headrace.api.error;

/**
 * An entry is larger than the cluster allows; nothing was written.
 *
 * <p>Split the value over several keys, or raise {@code NodeSettings.maxEntryBytes}, which all
 * nodes with a capacity must have in common. If the message says that the segment would become too
 * large: use more segments.
 */
public final class EntryTooLargeException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   */
  public EntryTooLargeException(String message) {
    super(message);
  }

  /**
   * An exception about an entry of a cache.
   *
   * @param cache the cache's name
   * @param entryBytes encoded key and value together
   * @param limitBytes what the cluster allows
   */
  public static EntryTooLargeException of(String cache, long entryBytes, int limitBytes) {
    return new EntryTooLargeException(
        "The entry has "
            + entryBytes
            + " bytes, more than maxEntryBytes of the cluster ("
            + limitBytes
            + "); nothing was written: split the value or raise the setting on all nodes"
            + " that hold segments",
        FaultScope.ofCache(cache));
  }

  /**
   * An exception about something.
   *
   * @param message what happened and what to do
   * @param scope what it is about
   */
  public EntryTooLargeException(String message, FaultScope scope) {
    super(message, scope, null);
  }
}
