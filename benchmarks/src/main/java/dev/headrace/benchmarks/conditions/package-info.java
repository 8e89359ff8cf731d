/**
 * Headrace and its embedded peers where they are not at their best: on a machine whose cores others
 * use, in the first minute of a JVM, in clusters of one and two nodes, with values of 1 MB, and
 * with ten million entries in a heap of 4 GB.
 *
 * <p>Each cell is one of {@code IterationBenchmark} or {@code OperationsBenchmark}, so that it can
 * be run by hand. A system that cannot hold the entries has no figure; its fork's last words are in
 * {@code benchmarks/target/logs}.
 *
 * <p>Threading: JMH's forks measure; a busy machine has a process that turns on every core.
 */
@NullMarked
package dev.headrace.benchmarks.conditions;

import org.jspecify.annotations.NullMarked;
