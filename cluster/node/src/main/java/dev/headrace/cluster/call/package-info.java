/**
 * The calls that an application makes on its node: caches that it opens, operations, questions for
 * changes, and who watches them.
 *
 * <p>{@link dev.headrace.cluster.call.CacheOpening} makes the views, streams and sinks of a cache
 * from the parts of a node. {@link dev.headrace.cluster.call.NodeCalls} leads an operation to a
 * lane of this node or to the client of others; {@link dev.headrace.cluster.call.PresentCalls} does
 * so for callers that outlast a life of their node.
 *
 * <p>Threading: all are thread-safe. Results are completed on the executor for user code.
 *
 * <p>Invariants: a call ends once, with its result or with an error; a node that closes fails those
 * that wait.
 */
@NullMarked
package dev.headrace.cluster.call;

import org.jspecify.annotations.NullMarked;
