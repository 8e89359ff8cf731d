/**
 * A cluster for tests: several nodes in one process, which can be killed, paused and cut off from
 * each other.
 *
 * <p>{@link dev.headrace.testkit.TestCluster} is the entrance, as an extension of JUnit 5 or by
 * itself. Its nodes are whole ones: they talk over sockets on the loopback address.
 *
 * <p>Threading: nodes and caches may be used from any thread; one thread at a time starts nodes and
 * makes faults.
 */
@NullMarked
package dev.headrace.testkit;

import org.jspecify.annotations.NullMarked;
