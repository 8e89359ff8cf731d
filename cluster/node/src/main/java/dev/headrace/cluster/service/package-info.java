/**
 * What a node does for the cluster: which operations and reads it serves now, what its lanes get
 * from the node, and how messages leave it.
 *
 * <p>{@link dev.headrace.cluster.service.ServedOperations} and {@link
 * dev.headrace.cluster.service.ServedReads} stand at the entrance; {@link
 * dev.headrace.cluster.service.NodeLaneHost} is what the lanes may ask of their node; {@link
 * dev.headrace.cluster.service.Outgoing} keeps what a node sends to itself off the wire.
 *
 * <p>Threading: all are thread-safe. Operations and reads are served on the thread that brings
 * them, but for functions of users, which have an executor of their own.
 *
 * <p>Invariants: copies for moved segments give way while operations or streams are at work ({@link
 * dev.headrace.cluster.service.Foreground}).
 */
@NullMarked
package dev.headrace.cluster.service;

import org.jspecify.annotations.NullMarked;
