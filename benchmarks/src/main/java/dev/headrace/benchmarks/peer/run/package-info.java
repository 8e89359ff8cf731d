/**
 * Which systems can be measured, and how one of them runs: in this JVM, or in a fork with all its
 * nodes.
 *
 * <p>{@link dev.headrace.benchmarks.peer.run.Contender} names a system, says what it promises, and
 * creates it. {@link dev.headrace.benchmarks.peer.run.RunningSystem} keeps one while a benchmark
 * measures it.
 *
 * <p>Threading: one thread at a time.
 */
@NullMarked
package dev.headrace.benchmarks.peer.run;

import org.jspecify.annotations.NullMarked;
