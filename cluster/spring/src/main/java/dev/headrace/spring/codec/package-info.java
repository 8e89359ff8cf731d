/**
 * How keys and values of Spring's cache abstraction become bytes.
 *
 * <p>A cache whose types are named has their built-in codecs, behind a {@link
 * dev.headrace.spring.codec.ConfiguredCodec}. Of the others {@link
 * dev.headrace.spring.codec.UntypedKeyCodec} and {@link
 * dev.headrace.spring.codec.UntypedValueCodec} write each object with a number for its type;
 * objects of other classes are serialized if {@link dev.headrace.spring.codec.AllowedClasses} has
 * them.
 *
 * <p><b>Threading.</b> Codecs are used by many threads at the same time.
 *
 * <p><b>Invariants.</b> Equal keys have equal bytes. No class is loaded and no object is made
 * because of bytes that name it, unless the class is allowed.
 */
@NullMarked
package dev.headrace.spring.codec;

import org.jspecify.annotations.NullMarked;
