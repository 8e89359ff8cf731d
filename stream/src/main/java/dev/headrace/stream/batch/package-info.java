/**
 * What travels between a stream and the nodes that serve it: a request for entries and the batch
 * that answers it.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.stream.batch.ReadPort} is how the pull engine asks any
 * node, its own included; {@link dev.headrace.stream.batch.BatchReader} is how a node answers.
 * Between a batch and the next request, neither side keeps any state about the other.
 *
 * <p><b>Threading.</b> Requests and parts are immutable. A batch has one owner at a time, which
 * releases it exactly once. A reader belongs to one thread.
 *
 * <p><b>Invariants.</b> A batch never has more entries or bytes than its request allowed; Its parts
 * follow the order of the request's segments, without gaps, and only the last one may say that its
 * segment continues.
 */
@NullMarked
package dev.headrace.stream.batch;

import org.jspecify.annotations.NullMarked;
