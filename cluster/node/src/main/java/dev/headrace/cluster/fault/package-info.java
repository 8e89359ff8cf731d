/**
 * What stands between a node and its data wire while a test cuts the node off.
 *
 * <p>{@link dev.headrace.cluster.fault.HeldTraffic} holds back what cannot arrive at the moment;
 * {@link dev.headrace.cluster.fault.CutTransport} and {@link
 * dev.headrace.cluster.fault.CutListener} lead through it what a node sends and what its wire tells
 * it. A node outside of tests has none of them.
 *
 * <p>Threading: any thread sends; one thread cuts and heals. No lock is held while something is
 * sent.
 */
@NullMarked
package dev.headrace.cluster.fault;

import org.jspecify.annotations.NullMarked;
