/**
 * Many nodes as one cache: membership, wire and cache operations. The composition root, where the
 * parts of all other modules are put together.
 */
@NullMarked
package dev.headrace.cluster;

import org.jspecify.annotations.NullMarked;
