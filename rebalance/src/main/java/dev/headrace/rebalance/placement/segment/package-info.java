/**
 * The segment table as a locator, and the placements that fill it: by a locator, or by a user's
 * rule, of which every row is checked before anybody sees it.
 *
 * <p>A look-up in a table costs one multiplication and one access, however the table was filled. So
 * a slow locator that moves few keys and a fast table go together: the one places segments, the
 * other finds keys. Everything is immutable, and safe for any thread as far as users' rules are.
 */
@NullMarked
package dev.headrace.rebalance.placement.segment;

import org.jspecify.annotations.NullMarked;
