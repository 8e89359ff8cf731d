/**
 * Reads and writes over HTTP in an open loop, beside nodes that proxy over the JDK's HTTP client;
 * exports from small heaps; a reader that stalls. Its entrance is {@link
 * dev.headrace.benchmarks.http.HttpComparison}.
 *
 * <p><b>Threading.</b> One thread, the comparison's: it asks the client and the nodes, which are
 * JVMs of their own.
 */
@NullMarked
package dev.headrace.benchmarks.http;

import org.jspecify.annotations.NullMarked;
