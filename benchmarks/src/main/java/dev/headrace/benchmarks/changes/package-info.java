/**
 * What readers of changes cost writers, and how late they are told, the systems side by side.
 *
 * <p>Three data nodes and one that holds nothing in one JVM over TCP loopback, two owners, 10,000
 * keys, values of 100 bytes. Writers on a data node put at full rate; readers stand on the member
 * that holds nothing. Each peer tells in the way that its manual recommends for listeners with
 * values: Hazelcast an entry listener, Infinispan a clustered listener.
 *
 * <p>Threading: {@link dev.headrace.benchmarks.changes.ChangesFigures} is a part of a comparison
 * and runs on its thread; trials run in forks, see {@link dev.headrace.benchmarks.harness}.
 */
@NullMarked
package dev.headrace.benchmarks.changes;

import org.jspecify.annotations.NullMarked;
