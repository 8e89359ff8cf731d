/**
 * One node: the segment store, batches, cursors and the pull engine. It knows no network; it names
 * ports that the cluster implements.
 */
@NullMarked
package dev.headrace.stream;

import org.jspecify.annotations.NullMarked;
