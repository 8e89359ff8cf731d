/**
 * A stream of changes: the reader's half.
 *
 * <p><b>Purpose.</b> A reader asks owners for the changes of their segments by number, and for
 * content as of a number ({@link dev.headrace.stream.change.ChangeQuery}, {@link
 * dev.headrace.stream.change.ChangeAnswer}). {@link dev.headrace.stream.change.ChangeMachine}
 * decides what to ask of whom, and in which order answers count; {@link
 * dev.headrace.stream.change.ChangeEngine} decodes what is ready, one element at a time.
 *
 * <p><b>Threading.</b> An engine belongs to its drain. Answers come on any thread and only wait
 * until the drain takes them.
 *
 * <p><b>Invariants.</b> Of a segment one thing is asked for at a time, and asked for again only
 * when what has come of it was handed over. So what a stream holds is bounded by what it asks for,
 * and its place in a segment is one number and one cursor.
 */
@NullMarked
package dev.headrace.stream.change;

import org.jspecify.annotations.NullMarked;
