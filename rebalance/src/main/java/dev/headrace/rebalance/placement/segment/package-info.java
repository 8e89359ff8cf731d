/**
 * The segment table as a locator, and locators that copy segment tables.
 *
 * <p>A look-up in a table costs one multiplication and one access, however the table was filled. So
 * a slow locator that moves few keys and a fast table go together: the one places segments, the
 * other finds keys. Everything is immutable and safe for any thread.
 */
@NullMarked
package dev.headrace.rebalance.placement.segment;

import org.jspecify.annotations.NullMarked;
