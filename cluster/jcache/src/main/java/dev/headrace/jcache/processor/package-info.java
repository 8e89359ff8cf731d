/**
 * Entry processors on the primary of their entry.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.jcache.processor.ProcessorRunner} is a function that nodes
 * know by its name, and that runs any serializable processor whose classes it has and may read.
 * {@link dev.headrace.jcache.processor.PrimaryProcessors} calls it. Code never travels: only the
 * names of classes and what is in their fields.
 *
 * <p><b>Threading.</b> Everything may be used by any thread. Processors run on the node's threads
 * for functions.
 *
 * <p><b>Invariants.</b> Where a processor cannot run, nothing has happened, and the caller runs it
 * itself.
 */
@NullMarked
package dev.headrace.jcache.processor;

import org.jspecify.annotations.NullMarked;
