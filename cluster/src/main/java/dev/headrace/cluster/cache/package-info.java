/**
 * Cache operations: a cache's methods as operations on encoded bytes, waited for ({@link
 * dev.headrace.api.Cache}), as stages ({@link dev.headrace.api.AsyncCache}) or seen as a map.
 *
 * <p>Threading: any thread; codecs run on the calling thread, or, for asynchronous results, on the
 * node's executor, never on an event loop.
 */
@NullMarked
package dev.headrace.cluster.cache;

import org.jspecify.annotations.NullMarked;
