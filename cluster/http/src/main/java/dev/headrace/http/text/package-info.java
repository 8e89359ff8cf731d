/**
 * Keys and values of any built-in codec as text: a format, such as {@code record Quote(symbol
 * string, price double)}, is enough to read the bytes, without the classes that wrote them.
 *
 * <p>{@link dev.headrace.http.text.TextForm} is the entrance for HTTP, which writes records from
 * JSON too, and {@link dev.headrace.http.text.TextCodec} that of the command line. Everything is
 * immutable.
 */
@NullMarked
package dev.headrace.http.text;

import org.jspecify.annotations.NullMarked;
