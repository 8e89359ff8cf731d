/**
 * Functions of the user that a node runs on the entries that it has.
 *
 * <p><b>Purpose.</b> A {@link dev.headrace.stream.function.FunctionTable} has what was registered
 * on the node. {@link dev.headrace.stream.function.EntryCalls} are the calls of one request. What
 * goes wrong is a {@link dev.headrace.stream.function.FunctionFault}, which travels in the answer.
 *
 * <p><b>Threading.</b> The table is immutable. The calls of a request belong to one thread, which
 * may be held up by them: it is none of the wire.
 *
 * <p><b>Invariants.</b> A function sees a validated copy of an entry, and no lock is held while it
 * runs. Whatever it throws ends its own stream and nothing else.
 */
@NullMarked
package dev.headrace.stream.function;

import org.jspecify.annotations.NullMarked;
