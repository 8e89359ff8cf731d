/** What can go wrong, as types; each message says what to do. */
@NullMarked
package dev.headrace.api.error;

import org.jspecify.annotations.NullMarked;
