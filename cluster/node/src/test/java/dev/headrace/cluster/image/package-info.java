/**
 * What a native image has to be told of a node: which classes it looks up by their names, whose
 * members it uses by reflection, and which resources it reads.
 *
 * <p>{@link dev.headrace.cluster.image.NativeImageTest} lets {@link
 * dev.headrace.cluster.image.TracedNodes} run in a process whose classes {@link
 * dev.headrace.cluster.image.ReflectionAgent} has changed to tell {@link
 * dev.headrace.cluster.image.ReflectionLog} of each such use, and compares that with the metadata.
 *
 * <p><b>Threading.</b> The log is thread-safe, the agent used by the threads that load classes.
 */
@NullMarked
package dev.headrace.cluster.image;

import org.jspecify.annotations.NullMarked;
