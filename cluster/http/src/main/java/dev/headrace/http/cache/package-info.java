/**
 * Caches and their entries over HTTP: {@code /v1/caches}.
 *
 * <p>{@link dev.headrace.http.cache.EntryRoutes} answers for single entries. {@link
 * dev.headrace.http.cache.OpenCaches} finds out which formats a cache has, and opens it on its
 * encoded bytes.
 *
 * <p><b>Threading.</b> Nothing blocks; what takes long ends on the node's executor for user code.
 *
 * <p><b>Invariants.</b> A format is read, never a class loaded. What is written as text or JSON has
 * the bytes that the cache's codec would have written; raw bytes are checked against the format
 * where it is known.
 */
@NullMarked
package dev.headrace.http.cache;

import org.jspecify.annotations.NullMarked;
