/**
 * What a node knows of its cluster now, and what it tells of it: the newest segment table, what
 * other nodes use, events, and warnings in the log.
 *
 * <p>{@link dev.headrace.cluster.status.CurrentTable} is the table that operations, streams and
 * sinks act by; {@link dev.headrace.cluster.status.StreamedTable} shows it to streams. {@link
 * dev.headrace.cluster.status.Statuses} composes a cluster's status of it, and {@link
 * dev.headrace.cluster.status.ClusterEvents} tells listeners what changes.
 *
 * <p>Threading: all are thread-safe; listeners of users are called on the executor for user code.
 *
 * <p>Invariants: the epoch of the table never falls during one life of a node.
 */
@NullMarked
package dev.headrace.cluster.status;

import org.jspecify.annotations.NullMarked;
