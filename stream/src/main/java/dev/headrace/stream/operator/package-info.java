/**
 * Operators that run on encoded entries.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.stream.operator.OperatorCompiler} turns a user's
 * condition, selection or reduction into a program, by the codecs of the cache. The program travels
 * with each request as bytes; {@link dev.headrace.stream.operator.Operators} checks and loads it on
 * the node that has the entries, which needs no codec and no class of the user.
 *
 * <p><b>Threading.</b> A loaded program is immutable. What evaluates it, an {@link
 * dev.headrace.stream.operator.EntryFrame}, belongs to one thread.
 *
 * <p><b>Invariants.</b> A program's size, depth and number of steps are bounded. Evaluating it
 * makes no object and never reads outside of the entry, whatever its bytes are: what does not look
 * as the program expects is null.
 */
@NullMarked
package dev.headrace.stream.operator;

import org.jspecify.annotations.NullMarked;
