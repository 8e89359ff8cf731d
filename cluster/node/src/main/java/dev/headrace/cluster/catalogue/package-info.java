/**
 * The caches of the cluster, and their sizes.
 *
 * <p>The formats of a cache's keys and values are noted in a cache of Headrace's own ({@link
 * dev.headrace.cluster.catalogue.Catalogue}); the owners of its segments count its size on demand
 * ({@link dev.headrace.cluster.catalogue.CacheCounter}), and the node that asks adds up the answers
 * ({@link dev.headrace.cluster.catalogue.CacheSurvey}). {@link
 * dev.headrace.cluster.catalogue.CacheInventory}, the entrance, does both for a node, and removes
 * caches.
 *
 * <p>All classes are thread-safe.
 */
@NullMarked
package dev.headrace.cluster.catalogue;

import org.jspecify.annotations.NullMarked;
