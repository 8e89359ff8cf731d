/**
 * One node's part of a cache: the segment store, batches, cursors and the pull engine.
 *
 * <p><b>Purpose.</b> This package holds the ports of the module: what it needs of a cluster ({@link
 * dev.headrace.stream.Ownership}, {@link dev.headrace.stream.Transport}, {@link
 * dev.headrace.stream.Timer}). The module knows no network, no clock and no threads; the cluster
 * implements the ports on sockets, simulations on queues.
 *
 * <p><b>Threading.</b> Each port says from which threads it may be called. None of them blocks.
 */
@NullMarked
package dev.headrace.stream;

import org.jspecify.annotations.NullMarked;
