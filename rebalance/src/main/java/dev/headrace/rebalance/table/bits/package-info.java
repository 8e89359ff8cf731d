/**
 * Forms narrower than bytes: numbers of a few bits, of as many bytes as they need, or of as many
 * bits as they need, one after the other. Not safe for use by several threads at once.
 *
 * <p>Invariant: a reader never passes the end of what is there, and asks for nothing that is not.
 */
@NullMarked
package dev.headrace.rebalance.table.bits;

import org.jspecify.annotations.NullMarked;
