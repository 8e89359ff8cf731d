/**
 * Operators that run where the data is.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.api.stream.operator.Expressions} names parts of entries
 * and makes {@link dev.headrace.api.stream.operator.EntryCondition}s of them, which are data: the
 * nodes evaluate them on encoded bytes and need no class of the user. A {@link
 * dev.headrace.api.stream.operator.Reduction} is a result to which every node contributes. {@link
 * dev.headrace.api.stream.operator.NodeFunctions} are functions of the user that nodes know by name
 * and streams call by {@link dev.headrace.api.stream.operator.FunctionName}; so is an {@link
 * dev.headrace.api.stream.operator.EntryProcessor}, which changes one entry.
 *
 * <p><b>Threading.</b> Everything is immutable, for any thread.
 *
 * <p><b>Invariants.</b> A comparison with a part that is null is false. Names and types are checked
 * when the stream is built, not when an entry is read.
 */
@NullMarked
package dev.headrace.api.stream.operator;

import org.jspecify.annotations.NullMarked;
