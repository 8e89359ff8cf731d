/**
 * JCache (JSR 107) over a cluster: caches whose entries are on the cluster's nodes.
 *
 * <p>{@link dev.headrace.jcache.HeadraceCachingProvider} is the entrance; {@code
 * javax.cache.Caching} finds it by itself.
 *
 * <p><b>Threading.</b> Everything may be used by many threads. Loaders, writers, entry processors
 * and synchronous listeners run on the caller's thread; {@code loadAll} and asynchronous listeners
 * on threads of the manager.
 *
 * <p><b>Invariants.</b> A manager owns its node, unless it was made over a node of the program.
 * Entries are the cluster's; a configuration, with its loader, writer, listeners and statistics, is
 * the manager's in which the cache was created.
 */
@NullMarked
package dev.headrace.jcache;

import org.jspecify.annotations.NullMarked;
