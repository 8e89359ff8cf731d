/**
 * A whole cluster of the production code in one thread, from a seed: its members, wire, clocks,
 * random choices and executors, and everything that goes wrong.
 *
 * <p>{@link dev.headrace.cluster.node.simulation.Life} is one run: a cluster is founded, loaded,
 * disturbed by {@link dev.headrace.cluster.node.simulation.Troubles}, left in peace, and compared.
 * {@link dev.headrace.cluster.node.simulation.World} is what nodes live in; what they may do is
 * judged by the package {@code oracle}. Nothing here has a thread or asks a clock, so that a seed
 * is always the same life.
 */
@NullMarked
package dev.headrace.cluster.node.simulation;

import org.jspecify.annotations.NullMarked;
