/**
 * Values as messages of Protocol Buffers, for caches and for components of records, and as whatever
 * a marshaller of Infinispan makes of them.
 *
 * <p><b>Threading.</b> A codec is immutable and used by many threads at the same time; it asks its
 * serialization context, which is thread-safe.
 *
 * <p><b>Invariants.</b> The bytes of a {@link dev.headrace.protostream.ProtoStreamCodec} are those
 * of the message alone, without its type: which message they are is in the format of the cache.
 */
@NullMarked
package dev.headrace.protostream;

import org.jspecify.annotations.NullMarked;
