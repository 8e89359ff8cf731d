/**
 * Headrace, Hazelcast, Ignite and Coherence as systems under test; Coherence's members are in
 * {@code peer.coherence}.
 *
 * <p>Threading: as {@link dev.headrace.benchmarks.peer} says.
 */
@NullMarked
package dev.headrace.benchmarks.peer.system;

import org.jspecify.annotations.NullMarked;
