/**
 * Which nodes shall own which segments: the choice that all data nodes of a cluster share.
 *
 * <p>Everything here is immutable and safe for any thread, rules of users' own included: they are
 * called by one thread at a time, but not always by the same.
 */
@NullMarked
package dev.headrace.api.placement;

import org.jspecify.annotations.NullMarked;
