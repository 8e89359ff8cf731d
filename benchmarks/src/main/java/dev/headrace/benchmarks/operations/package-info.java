/**
 * How fast single reads and writes are, the systems side by side.
 *
 * <p>Six nodes in one JVM over TCP loopback, two owners, 50,000 entries of 100 bytes; random keys
 * are read or written from one data node, and from a member that holds nothing, so that every
 * operation crosses the wire. A write asks for no previous value and returns when both owners have
 * it.
 *
 * <p>Threading: {@link dev.headrace.benchmarks.operations.OperationsComparison} measures nothing
 * itself and runs on one thread; see {@link dev.headrace.benchmarks.harness}.
 */
@NullMarked
package dev.headrace.benchmarks.operations;

import org.jspecify.annotations.NullMarked;
