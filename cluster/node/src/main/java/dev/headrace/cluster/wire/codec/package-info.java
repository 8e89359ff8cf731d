/**
 * How messages and read requests become the bodies of frames, and come back.
 *
 * <p><b>Invariants.</b> Numbers are groups of seven bits, the lowest first (LEB128) unless said
 * otherwise. Whatever the bytes are, decoding either returns a value or throws {@link
 * dev.headrace.api.error.WireException}, and never allocates more than a small multiple of the
 * bytes that are there.
 *
 * <p><b>Threading.</b> No state is shared; a {@link dev.headrace.cluster.wire.codec.WireInput}
 * belongs to one connection.
 */
@NullMarked
package dev.headrace.cluster.wire.codec;

import org.jspecify.annotations.NullMarked;
