/**
 * Resume tokens: what remains of a stream, as a value ({@link
 * dev.headrace.stream.token.ResumeToken}) and as a string ({@link
 * dev.headrace.stream.token.TokenForm}).
 *
 * <p>Everything here is immutable. A token's size depends on the segments in progress: those that
 * are done or have not begun are bits or ranges.
 */
@NullMarked
package dev.headrace.stream.token;

import org.jspecify.annotations.NullMarked;
