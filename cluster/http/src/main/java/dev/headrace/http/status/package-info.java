/**
 * The cluster as people and monitors see it: {@code /v1/cluster}, {@code /metrics}, {@code
 * /health}, and the page at {@code /} with what feeds it.
 *
 * <p>{@link dev.headrace.http.status.ClusterRoutes} shows what this node knows of its cluster,
 * {@link dev.headrace.http.status.ClusterFeed} tells a page what changes, {@link
 * dev.headrace.http.status.NodeMeters} keeps the port's figures and shows the node's, and {@link
 * dev.headrace.http.status.ConsolePages} has the files of the page.
 *
 * <p><b>Threading.</b> Everything is thread-safe. The feed has a thread of its own while somebody
 * looks.
 *
 * <p><b>Invariants.</b> Nothing here sends a message to another node but the sizes of caches, which
 * are asked for once in ten seconds however often figures are read.
 */
@NullMarked
package dev.headrace.http.status;

import org.jspecify.annotations.NullMarked;
