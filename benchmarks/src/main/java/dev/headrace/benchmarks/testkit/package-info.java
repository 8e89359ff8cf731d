/**
 * What a cluster for tests costs the tests of its users.
 *
 * <p>Threading: JMH's; one thread starts a cluster, whose nodes start on threads of their own.
 */
@NullMarked
package dev.headrace.benchmarks.testkit;

import org.jspecify.annotations.NullMarked;
