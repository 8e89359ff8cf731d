/**
 * Cache operations: a cache's methods as operations on encoded bytes, blocking ({@link
 * dev.headrace.api.Cache}), asynchronous ({@link dev.headrace.api.AsyncCache}) or as a map.
 *
 * <p>Methods over many keys run in steps ({@link dev.headrace.cluster.cache.Stepwise}). {@link
 * dev.headrace.cluster.cache.BulkGet} asks each node once for its keys. {@link
 * dev.headrace.cluster.cache.Bulk} has a window of operations under way: {@link
 * dev.headrace.cluster.cache.GroupedWrites} makes one of the writes of a segment, and {@link
 * dev.headrace.cluster.cache.RoutedRequests} groups removals by node.
 *
 * <p>Threading: any thread may call. Codecs run on the calling thread or, for asynchronous results,
 * on the node's executor, never on an event loop.
 */
@NullMarked
package dev.headrace.cluster.cache;

import org.jspecify.annotations.NullMarked;
