/**
 * What Java's management shows of a cache: its configuration, and what was done through it.
 *
 * <p><b>Threading.</b> Everything may be used by many threads.
 */
@NullMarked
package dev.headrace.jcache.management;

import org.jspecify.annotations.NullMarked;
