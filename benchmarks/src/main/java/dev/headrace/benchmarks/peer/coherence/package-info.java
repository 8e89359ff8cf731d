/**
 * A member of a Coherence cluster.
 *
 * <p>This package has a class loader of its own for each member, because Coherence allows one
 * member per class loader. Only types of {@link dev.headrace.benchmarks.peer} leave it.
 */
@NullMarked
package dev.headrace.benchmarks.peer.coherence;

import org.jspecify.annotations.NullMarked;
