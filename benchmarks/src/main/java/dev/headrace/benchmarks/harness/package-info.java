/**
 * What every comparison shares: rounds of JMH's forks, forks of our own for what is no rate,
 * entries, and the result file.
 *
 * <p>A comparison is one process, which measures nothing itself. For rates, {@link
 * dev.headrace.benchmarks.harness.JmhRounds} gives each cell of the grid one of JMH's forks a
 * round, in random order, so that systems are compared within the same minutes on a machine whose
 * speed drifts, and none sees the garbage, the threads or the compiled code of another. For the
 * rest, {@link dev.headrace.benchmarks.harness.Fork} is a fresh JVM that is asked to do one thing
 * after the other.
 *
 * <p>Threading: the comparison uses one thread. A fork answers one command at a time. Rates are per
 * second, times carry their unit in their name.
 */
@NullMarked
package dev.headrace.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
