/**
 * The calls that an application makes on its node: caches that it opens, operations, questions for
 * changes, and who watches them.
 *
 * <p>{@link dev.headrace.cluster.call.CacheOpening} makes the views, streams and sinks of a cache
 * from the parts of a node. {@link dev.headrace.cluster.call.NodeCalls} reads this node's own
 * replicas, and hands everything else to the operation client; {@link
 * dev.headrace.cluster.call.PresentCalls} does so for callers that outlast a life of their node.
 *
 * <p>Threading: all are thread-safe. Completions come on any thread; the views see to it that code
 * of users runs on the caller's thread or on the executor for it.
 *
 * <p>Invariants: a call ends once: with a result, with an error, or without an answer, after which
 * its caller asks again. A node that closes ends all that wait.
 */
@NullMarked
package dev.headrace.cluster.call;

import org.jspecify.annotations.NullMarked;
