/**
 * A node over HTTP: entries, streams, figures, and a page that shows the cluster.
 *
 * <p>{@link dev.headrace.http.HttpServer} is the entrance: it opens a port beside a node that runs
 * in this process. Between nodes nothing travels over HTTP.
 *
 * <p><b>Threading.</b> The server has event loops of its own. They parse and write; everything that
 * the node does runs where it would run for a caller in Java.
 *
 * <p><b>Invariants.</b> No request names a class or a file. What clients can make a node hold is
 * bounded ({@link dev.headrace.http.HttpSettings}).
 */
@NullMarked
package dev.headrace.http;

import org.jspecify.annotations.NullMarked;
