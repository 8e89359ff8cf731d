/** How keys and values become bytes and come back. */
@NullMarked
package dev.headrace.api.codec;

import org.jspecify.annotations.NullMarked;
