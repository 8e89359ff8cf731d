/**
 * A request, its reply, and which of the routes answers it; nothing of this knows a socket.
 *
 * <p>{@link dev.headrace.http.exchange.Router} is the entrance: it finds the {@link
 * dev.headrace.http.exchange.Route} of a path, whose {@link
 * dev.headrace.http.exchange.RouteHandler} makes an {@link dev.headrace.http.exchange.HttpReply}
 * from an {@link dev.headrace.http.exchange.HttpCall}.
 *
 * <p><b>Threading.</b> Handlers are called by event loops and must not block. A {@link
 * dev.headrace.http.exchange.StreamedBody} writes from any thread, one at a time.
 *
 * <p><b>Invariants.</b> What a client has done wrong is a {@link
 * dev.headrace.http.exchange.ProblemException} of a status below 500.
 */
@NullMarked
package dev.headrace.http.exchange;

import org.jspecify.annotations.NullMarked;
