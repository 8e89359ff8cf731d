/**
 * Many keys at once through a cluster: {@code getAll} and {@code putAll} beside one operation per
 * key, from a node that holds segments and from one that holds none.
 *
 * <p>All nodes run in one JVM, so that what every one of them allocates for a key is counted.
 */
@NullMarked
package dev.headrace.benchmarks.bulk;

import org.jspecify.annotations.NullMarked;
