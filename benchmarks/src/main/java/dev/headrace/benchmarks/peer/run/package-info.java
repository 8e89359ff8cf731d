/**
 * Which systems can be measured, and how one of them runs: in the benchmark's JVM ({@link
 * dev.headrace.benchmarks.peer.run.RunningSystem}) or in a fork of its own ({@link
 * dev.headrace.benchmarks.peer.run.PeerFork}).
 *
 * <p>{@link dev.headrace.benchmarks.peer.run.Contender} names a system, says what it promises, and
 * creates it.
 *
 * <p>Threading: one thread at a time.
 */
@NullMarked
package dev.headrace.benchmarks.peer.run;

import org.jspecify.annotations.NullMarked;
