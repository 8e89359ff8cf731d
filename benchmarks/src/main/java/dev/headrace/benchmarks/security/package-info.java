/**
 * What TLS between nodes costs: walks and single operations with it and without it, in rounds of
 * JMH.
 *
 * <p>Used by the comparison's thread.
 */
@NullMarked
package dev.headrace.benchmarks.security;

import org.jspecify.annotations.NullMarked;
