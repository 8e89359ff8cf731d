/**
 * The systems under test behind one interface: a cluster of several nodes inside one JVM, talking
 * TCP over the loopback interface.
 *
 * <p>Every system runs in the best configuration that its documentation offers for the work asked
 * for, with the same promises: two owners, an acknowledged write is on both, and a read sees it. A
 * setting that matters has a comment with its reason. Nodes bind loopback ports of their own and
 * find only each other.
 *
 * <p>Threading: a {@link dev.headrace.benchmarks.peer.SystemUnderTest} is started, loaded and
 * closed by one thread; its {@link dev.headrace.benchmarks.peer.View}s serve any number of threads.
 */
@NullMarked
package dev.headrace.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
