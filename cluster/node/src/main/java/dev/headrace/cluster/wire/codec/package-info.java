/**
 * Encodes messages and read requests as the bodies of frames, and decodes them.
 *
 * <p><b>Invariants.</b> Numbers are groups of seven bits, the lowest first (LEB128), unless stated
 * otherwise. Decoding any bytes either returns a value or throws {@link
 * dev.headrace.api.error.WireException}, and never allocates more than a small multiple of their
 * number.
 *
 * <p><b>Threading.</b> No state is shared; a {@link dev.headrace.cluster.wire.codec.WireInput}
 * belongs to one connection.
 */
@NullMarked
package dev.headrace.cluster.wire.codec;

import org.jspecify.annotations.NullMarked;
