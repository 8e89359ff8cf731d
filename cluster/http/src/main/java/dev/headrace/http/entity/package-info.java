/**
 * The contract of the key-value course: {@code /v0/entity} and {@code /v0/entities}.
 *
 * <p>{@link dev.headrace.http.entity.EntityRoutes} answers for single entities, {@link
 * dev.headrace.http.entity.RangeRoute} streams those of this node in the order of their keys. All
 * are entries of one cache, of strings and bytes; between nodes travels the binary protocol.
 *
 * <p><b>Threading.</b> Single entities are answered without blocking. A range is read on the node's
 * executor for user code.
 *
 * <p><b>Invariants.</b> A reply of success was held by so many owners as the request asked for. A
 * range holds a bounded number of bytes, whatever is stored.
 */
@NullMarked
package dev.headrace.http.entity;

import org.jspecify.annotations.NullMarked;
