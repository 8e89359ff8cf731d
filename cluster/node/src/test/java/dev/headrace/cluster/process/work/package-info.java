/**
 * Work of a node beside the writes, reads and streams of the {@code process} package, each with an
 * exact expectation: {@link dev.headrace.cluster.process.work.NumberedWrites} of which {@link
 * dev.headrace.cluster.process.work.FollowedChanges} must tell every one once, {@link
 * dev.headrace.cluster.process.work.SinkLoad} of which every entry must be there, and {@link
 * dev.headrace.cluster.process.work.ChosenEntries} that a condition must find. {@link
 * dev.headrace.cluster.process.work.FurtherWork} is all of it.
 *
 * <p>It uses only what nodes of the previous version of the protocol have, too.
 */
@NullMarked
package dev.headrace.cluster.process.work;

import org.jspecify.annotations.NullMarked;
