/**
 * The composition root: a node made of a membership, a wire, an agreement, lanes, a caller and a
 * pull engine.
 *
 * <p>{@link dev.headrace.cluster.node.HeadraceNode} gives a {@link
 * dev.headrace.cluster.node.NodeEngine} its sockets and threads. The engine puts the machines
 * together: what arrives goes to them through {@link dev.headrace.cluster.node.ServedOperations},
 * {@link dev.headrace.cluster.node.ServedReads} and {@link
 * dev.headrace.cluster.node.OwnerMessages}, what the agreement decides comes back by the {@link
 * dev.headrace.cluster.node.AgreementDriver}.
 *
 * <p>Threading: the wire's event loops run the byte-only work of operations, the control executor
 * runs the agreement, whatever thread an event comes from, another what lanes do by themselves when
 * a table comes, one timer thread ticks the machines, and a small executor runs everything that may
 * call user code (streams, asynchronous results). No lock is held while one of them calls another.
 */
@NullMarked
package dev.headrace.cluster.node;

import org.jspecify.annotations.NullMarked;
