/**
 * What encoding and decoding costs, codec by codec, on one thread; and of the record codec beside
 * other libraries.
 *
 * <p>Threading: JMH's; each measuring thread has objects and a buffer of its own.
 */
@NullMarked
package dev.headrace.benchmarks.codec;

import org.jspecify.annotations.NullMarked;
