/**
 * How fast entries are chosen, selected, counted and added up where they are, the systems side by
 * side.
 *
 * <p>Six nodes in one JVM over TCP loopback, two owners, records of about 100 bytes, asked from a
 * member that holds nothing. Each peer does it in the way that its manual recommends for queries:
 * Infinispan by distributed streams with serializable lambdas, its records marshalled by
 * ProtoStream, Hazelcast by predicates, projections and aggregators, both over objects in memory,
 * so that nothing is decoded; Ignite by scan queries and computations over binary objects;
 * Coherence by filters and aggregators over POF.
 *
 * <p>Threading: {@link dev.headrace.benchmarks.operators.OperatorsComparison} measures nothing
 * itself and runs on one thread; see {@link dev.headrace.benchmarks.harness}.
 */
@NullMarked
package dev.headrace.benchmarks.operators;

import org.jspecify.annotations.NullMarked;
