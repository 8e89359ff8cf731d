package dev.headrace.api;

/** What the parts of a cluster that holds data may do while they do not reach each other. */
public enum SplitPolicy {

  /**
   * Only a majority of the cluster's data nodes goes on, or an exact half with the oldest of them;
   * the others refuse writes and exactly-once streams. No acknowledged write is lost.
   */
  DENY,

  /**
   * Every part goes on. When they meet again, the part with the newest segment table stays, and the
   * nodes of the others have to start anew: what was written there meanwhile is lost.
   */
  ALLOW
}
