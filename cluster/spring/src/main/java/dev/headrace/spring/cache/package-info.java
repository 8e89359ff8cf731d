/**
 * Spring's cache abstraction on the caches of a node.
 *
 * <p>{@link dev.headrace.spring.cache.SpringCaches} opens a cache by its name when it is first
 * asked for, {@link dev.headrace.spring.cache.SpringCache} is one, and {@link
 * dev.headrace.spring.cache.CachePlan} knows how each is to be opened.
 *
 * <p><b>Threading.</b> Everything is thread-safe.
 *
 * <p><b>Invariants.</b> On one node a missing value is loaded by one caller at a time, unless its
 * key is evicted meanwhile; the others wait for what it loads, but not without end. What was loaded
 * never replaces what was put meanwhile.
 */
@NullMarked
package dev.headrace.spring.cache;

import org.jspecify.annotations.NullMarked;
