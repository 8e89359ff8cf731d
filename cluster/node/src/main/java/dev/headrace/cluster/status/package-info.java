/**
 * What a node knows of its cluster now, and what it tells about it: the newest segment table, what
 * memory other nodes use, events, and warnings in the log.
 *
 * <p>{@link dev.headrace.cluster.status.CurrentTable} is the table that operations, streams and
 * sinks act by; {@link dev.headrace.cluster.status.StreamedTable} shows it to streams. {@link
 * dev.headrace.cluster.status.Statuses} composes a cluster's status from it, and {@link
 * dev.headrace.cluster.status.ClusterEvents} tells listeners what changes.
 *
 * <p>Threading: the tables and {@link dev.headrace.cluster.status.Usages} are thread-safe; events
 * and warnings of losses are made by the thread on which tables come. Listeners of users are called
 * on the executor for user code.
 *
 * <p>Invariants: the epoch of the table never falls during one life of a node.
 */
@NullMarked
package dev.headrace.cluster.status;

import org.jspecify.annotations.NullMarked;
