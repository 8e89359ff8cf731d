/**
 * The client of the comparison over HTTP: requests at fixed times whatever the answers do, and a
 * reader of exports that can stop. It runs in a JVM of its own; {@link
 * dev.headrace.benchmarks.http.client.LoadWorker} is its main class.
 *
 * <p><b>Threading.</b> One event loop has all connections and all figures of a run. The thread that
 * asks for the run only tells it when requests are due.
 *
 * <p><b>Invariants.</b> A latency counts from when a request was due, not from when it was sent. A
 * connection has one request at a time.
 */
@NullMarked
package dev.headrace.benchmarks.http.client;

import org.jspecify.annotations.NullMarked;
