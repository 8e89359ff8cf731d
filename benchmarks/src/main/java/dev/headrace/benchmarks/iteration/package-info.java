/**
 * How fast a whole cache can be walked, against its peers and the wire's own limit.
 *
 * <p>The grid is that of Infinispan's own iteration benchmark: six nodes in one JVM over TCP
 * loopback, two owners, random hexadecimal keys, values of 10, 100 and 1000 bytes, 50,000 and
 * 250,000 entries, several batch sizes, four modes; the iterator is drained into a black hole.
 *
 * <p>Threading: {@link dev.headrace.benchmarks.iteration.IterationComparison} measures nothing
 * itself and runs on one thread; see {@link dev.headrace.benchmarks.harness}.
 */
@NullMarked
package dev.headrace.benchmarks.iteration;

import org.jspecify.annotations.NullMarked;
