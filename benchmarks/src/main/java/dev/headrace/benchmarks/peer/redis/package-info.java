/**
 * Redis as a system under test: servers in processes of their own, and Lettuce as their client.
 *
 * <p>Threading: as {@link dev.headrace.benchmarks.peer} says.
 */
@NullMarked
package dev.headrace.benchmarks.peer.redis;

import org.jspecify.annotations.NullMarked;
