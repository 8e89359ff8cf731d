/**
 * Infinispan as a system under test.
 *
 * <p>This package has a class loader of its own, because Infinispan runs with the JGroups that it
 * was released with. Only types of {@link dev.headrace.benchmarks.peer} leave it.
 */
@NullMarked
package dev.headrace.benchmarks.peer.infinispan;

import org.jspecify.annotations.NullMarked;
