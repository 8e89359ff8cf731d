/**
 * Hash rings: every node has points on a circle of 32-bit numbers, and a key belongs to the node of
 * the first point at or behind its hash.
 *
 * <p>An algorithm says where the points lie and how keys are hashed; a structure finds the point.
 * Any algorithm goes with any structure, and all structures give the same answers. {@code
 * ketama-md5} is the ring of memcached's clients. Everything is immutable and safe for any thread.
 */
@NullMarked
package dev.headrace.rebalance.placement.ring;

import org.jspecify.annotations.NullMarked;
