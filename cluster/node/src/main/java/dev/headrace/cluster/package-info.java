/**
 * A whole node: membership, wire, cache operations, and the composition root that puts the parts of
 * all modules together.
 */
@NullMarked
package dev.headrace.cluster;

import org.jspecify.annotations.NullMarked;
