package dev.headrace.replication.client;

/** Why an operation has no result. */
public enum Failure {
  /** It was not carried out: no owner was ready for it, or too few were there for a write. */
  UNAVAILABLE,
  /** Whether it was carried out is not known. */
  UNKNOWN,
  /** It was not carried out: the cache holds keys or values of another format. */
  WRONG_FORMAT,
  /** It was not carried out: the entry is larger than the node's limit. */
  TOO_LARGE,
  /** It was not carried out: the cache is new, and one more than the cluster takes. */
  TOO_MANY_CACHES,
  /** It was not carried out: an owner of the segment has no room for the entry. */
  MEMORY_FULL,
  /** It was not carried out: this node has too many operations under way. */
  OVERLOADED,
  /** This node was closed; a write that was under way may have been carried out. */
  CLOSED
}
