/**
 * From the choice of a placement, which is a setting, to what places segments.
 *
 * <p>Rules of users' own are not trusted: what they give is checked row by row before anybody sees
 * it. Everything is immutable; it is safe for any thread as far as users' rules are.
 */
@NullMarked
package dev.headrace.rebalance.placement.choice;

import org.jspecify.annotations.NullMarked;
