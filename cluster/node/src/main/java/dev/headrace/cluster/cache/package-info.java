/**
 * Cache operations: a cache's methods as operations on encoded bytes, waited for ({@link
 * dev.headrace.api.Cache}), as stages ({@link dev.headrace.api.AsyncCache}) or seen as a map.
 *
 * <p>Methods over many keys go in steps ({@link dev.headrace.cluster.cache.Stepwise}): {@link
 * dev.headrace.cluster.cache.BulkGet} asks each node once for its keys, {@link
 * dev.headrace.cluster.cache.Bulk} has a window of single operations under way, which {@link
 * dev.headrace.cluster.cache.RoutedRequests} has brought together by node.
 *
 * <p>Threading: any thread; codecs run on the calling thread, or, for asynchronous results, on the
 * node's executor, never on an event loop.
 */
@NullMarked
package dev.headrace.cluster.cache;

import org.jspecify.annotations.NullMarked;
