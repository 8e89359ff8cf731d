/**
 * Proves with real processes that data, streams and conditional writes outlive nodes that are
 * killed, paused and restarted.
 *
 * <p>{@link dev.headrace.cluster.process.ProcessFaultsTest} starts a {@link
 * dev.headrace.cluster.process.Fleet} of child processes, each of which runs {@link
 * dev.headrace.cluster.process.NodeMain} with one node, and which are told over their standard
 * input what to do. The oracle is the {@link dev.headrace.cluster.process.Board}, memory that all
 * processes map from one file: writers note there what they began and what was acknowledged, so
 * that every process can judge at once what it reads or streams.
 */
@NullMarked
package dev.headrace.cluster.process;

import org.jspecify.annotations.NullMarked;
