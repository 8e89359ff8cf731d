/**
 * Streaming a cache's content: the builder ({@link dev.headrace.api.stream.CacheStream}), what it
 * makes ({@link dev.headrace.api.stream.ContentPublisher}) and what can be watched ({@link
 * dev.headrace.api.stream.StreamListener}).
 */
@NullMarked
package dev.headrace.api.stream;

import org.jspecify.annotations.NullMarked;
