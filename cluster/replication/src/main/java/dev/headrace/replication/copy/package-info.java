/**
 * What a node copies as a source: segments on their way to nodes that are to become their owners.
 * {@link dev.headrace.replication.role.Primary} has them begin, lane by lane; {@link
 * dev.headrace.replication.role.Learner} is the other side, and reads. {@link
 * dev.headrace.replication.copy.RecordedMoves} tells the JDK's flight recorder of them.
 *
 * <p><b>Threading.</b> Thread-safe: all lanes of a node share it.
 *
 * <p><b>Invariants.</b> At most one copy of a segment is under way.
 */
@NullMarked
package dev.headrace.replication.copy;

import org.jspecify.annotations.NullMarked;
