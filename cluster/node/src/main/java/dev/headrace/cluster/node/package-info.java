/**
 * The composition root: a node made of a membership, a wire, an agreement, lanes, an operation
 * client and a pull engine.
 *
 * <p>{@link dev.headrace.cluster.node.HeadraceNode} gives a {@link
 * dev.headrace.cluster.node.NodeEngine} its sockets and threads. The engine connects the machines:
 * what arrives goes from it to them.
 *
 * <p>Threading: the wire's event loops run the byte-only work of operations; the control executor
 * runs the agreement, whatever thread an event comes from; another executor runs changes of roles;
 * one timer thread ticks the machines; a small executor runs everything that may call user code
 * (streams, asynchronous results). No lock is held when one of them calls another.
 */
@NullMarked
package dev.headrace.cluster.node;

import org.jspecify.annotations.NullMarked;
