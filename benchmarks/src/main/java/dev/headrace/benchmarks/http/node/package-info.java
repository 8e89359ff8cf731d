/**
 * The nodes of the comparison over HTTP, each in a JVM of its own, whose main class is {@link
 * dev.headrace.benchmarks.http.node.NodeWorker}: Headrace's own, and one that proxies over the
 * JDK's HTTP client behind the same port, for comparison only.
 *
 * <p><b>Threading.</b> Commands come one at a time; requests are answered on event loops.
 */
@NullMarked
package dev.headrace.benchmarks.http.node;

import org.jspecify.annotations.NullMarked;
