/**
 * Which caches the cluster has, and how large they are.
 *
 * <p>The formats of a cache's keys and values are noted in a cache of Headrace's own ({@link
 * dev.headrace.cluster.catalogue.Catalogue}); its size is counted by the owners of its segments
 * when somebody asks ({@link dev.headrace.cluster.catalogue.CacheCounter}), and added up by who
 * asks ({@link dev.headrace.cluster.catalogue.CacheSurvey}).
 *
 * <p>All classes are thread-safe.
 */
@NullMarked
package dev.headrace.cluster.catalogue;

import org.jspecify.annotations.NullMarked;
