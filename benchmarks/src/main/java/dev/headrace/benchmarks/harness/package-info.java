/**
 * What every benchmark shares: forks and the messages to them, the throughput loop, entries, and
 * the result file.
 *
 * <p>A benchmark is one process, the <em>referee</em>, which measures nothing itself. It starts one
 * fresh JVM per system under test, keeps all of them alive, and asks them in turn, in random order,
 * to measure one cell of the grid. Systems are therefore compared within the same minute on a
 * machine whose speed drifts, and none of them sees the garbage, the threads or the compiled code
 * of another. Within a fork the discipline is that of JMH: warm-up first, results drained into
 * JMH's black hole, several measured windows, every one of them kept.
 *
 * <p>Threading: the referee uses one thread. A fork answers one command at a time; the threads of
 * its throughput loop live as long as the command. Rates are per second, times carry their unit in
 * their name.
 */
@NullMarked
package dev.headrace.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
