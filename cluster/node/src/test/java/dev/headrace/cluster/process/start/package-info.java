/**
 * Cold starts: several nodes that start at the same moment must form one cluster, each time, by
 * whatever discovery, and whatever else the machine does.
 *
 * <p>Every node writes as soon as its start has returned, so that two clusters which serve side by
 * side are found out even if they become one later: each write must be read by every node in the
 * end. {@link dev.headrace.cluster.process.start.ColdStarts} is a program for many rounds.
 */
@NullMarked
package dev.headrace.cluster.process.start;

import org.jspecify.annotations.NullMarked;
