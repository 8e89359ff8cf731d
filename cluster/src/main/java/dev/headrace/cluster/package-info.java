/**
 * Many nodes as one cache: membership, wire, cache operations and the command line. The composition
 * root, where the parts of all other modules are put together.
 */
@NullMarked
package dev.headrace.cluster;

import org.jspecify.annotations.NullMarked;
