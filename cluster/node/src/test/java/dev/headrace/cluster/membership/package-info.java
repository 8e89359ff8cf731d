/** Proves membership with real channels on the loopback address. */
@NullMarked
package dev.headrace.cluster.membership;

import org.jspecify.annotations.NullMarked;
