/**
 * The demonstration: six nodes in one process hold the Unicode character database, which is
 * streamed twice, the second time while a node dies, and checked entry by entry.
 *
 * <p>A user's code in small: it goes through the public interface, but for killing a node, which no
 * user does.
 */
@NullMarked
package dev.headrace.cli.demo;

import org.jspecify.annotations.NullMarked;
