/**
 * Headrace and the peers whose nodes are embedded, as systems under test.
 *
 * <p>Threading: as {@link dev.headrace.benchmarks.peer.SystemUnderTest} says.
 */
@NullMarked
package dev.headrace.benchmarks.peer.system;

import org.jspecify.annotations.NullMarked;
