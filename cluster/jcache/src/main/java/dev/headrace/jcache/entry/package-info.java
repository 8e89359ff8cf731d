/**
 * What JCache's operations do to one entry: atomically, with loaders, writers, expiry policies and
 * entry processors.
 *
 * <p><b>Threading.</b> Everything may be used by many threads. Operations that change a key of a
 * cache follow one another in one manager ({@link dev.headrace.jcache.entry.KeyLocks}); between
 * managers the entry's version decides ({@link dev.headrace.jcache.entry.EntryAccess}).
 *
 * <p><b>Invariants.</b> User code runs while its key is held, because JSR 107 wants loaders,
 * writers, processors and synchronous listeners to be parts of the operation.
 */
@NullMarked
package dev.headrace.jcache.entry;

import org.jspecify.annotations.NullMarked;
