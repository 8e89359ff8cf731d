/**
 * Keys and values of any built-in codec as text: a format, such as {@code record Quote(symbol
 * string, price double)}, is enough to read the bytes, without the classes that wrote them.
 *
 * <p>{@link dev.headrace.cli.text.TextCodec} is the entrance. Everything is immutable.
 */
@NullMarked
package dev.headrace.cli.text;

import org.jspecify.annotations.NullMarked;
