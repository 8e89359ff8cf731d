/**
 * Locators that need no ring: jump hashing and its successors, Maglev, weighted rendezvous.
 *
 * <p>Jump hashing and its successors know numbered buckets of equal size; a node has as many as its
 * weight asks for. Everything is immutable; what a library keeps for its arithmetic is kept for
 * each thread.
 */
@NullMarked
package dev.headrace.rebalance.placement.bucket;

import org.jspecify.annotations.NullMarked;
