/**
 * Values as JSON, or in another format of Jackson 2, for caches and for components of records.
 *
 * <p><b>Threading.</b> A codec is immutable and used by many threads at the same time.
 *
 * <p><b>Invariants.</b> What a codec reads is one whole value of its type, never null. No class is
 * loaded because of bytes that name it, unless the mapper or an annotation of the type asks for
 * that.
 */
@NullMarked
package dev.headrace.jackson;

import org.jspecify.annotations.NullMarked;
