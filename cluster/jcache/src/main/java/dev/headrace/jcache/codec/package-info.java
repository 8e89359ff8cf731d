/**
 * How objects of any type become bytes that tell their type.
 *
 * <p><b>Threading.</b> Everything may be used by many threads.
 *
 * <p><b>Invariants.</b> No class is loaded by name from bytes unless {@link
 * dev.headrace.jcache.codec.ObjectFilter} allows it.
 */
@NullMarked
package dev.headrace.jcache.codec;

import org.jspecify.annotations.NullMarked;
