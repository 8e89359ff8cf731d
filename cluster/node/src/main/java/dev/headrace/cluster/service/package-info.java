/**
 * What a node does for the cluster: which operations and reads it serves now, what its lanes get
 * from the node, and how messages leave it.
 *
 * <p>{@link dev.headrace.cluster.service.ServedOperations} and {@link
 * dev.headrace.cluster.service.ServedReads} stand at the entrance; {@link
 * dev.headrace.cluster.service.NodeLaneHost} is what the lanes may ask of their node; {@link
 * dev.headrace.cluster.service.RoleChanger} has them change their roles after a new table; {@link
 * dev.headrace.cluster.service.Outgoing} keeps what a node sends to itself off the wire. While
 * operations or streams are at work, {@link dev.headrace.cluster.service.Foreground} says so, and
 * fewer copies begin.
 *
 * <p>Threading: all are thread-safe. Operations and reads are served on the thread that brings
 * them, except requests that call functions of users, which run on an executor of their own.
 *
 * <p>Invariants: nothing that may be outdated is served while this node must not go on; reads check
 * that after they have read.
 */
@NullMarked
package dev.headrace.cluster.service;

import org.jspecify.annotations.NullMarked;
