package dev.headrace.api.stream;

/** What a stream promises while ownership changes. */
public enum Delivery {

  /**
   * An entry whose key is present from the first request to completion arrives exactly once; one
   * that is added, removed or re-added meanwhile at most once. A stream that cannot keep this ends
   * with an error that carries a resume token.
   */
  EXACTLY_ONCE,

  /** As above, but a segment that cannot be read is skipped and reported. */
  AT_MOST_ONCE
}
