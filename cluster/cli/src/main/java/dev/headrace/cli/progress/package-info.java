/**
 * How far a long command has come, on standard error: numbers, a bar where the total is known, and
 * a lane for each node that sends something.
 *
 * <p>The command's threads count; a thread of the display draws. Whatever is shared is guarded by a
 * monitor that is never held across a call of the command.
 */
@NullMarked
package dev.headrace.cli.progress;

import org.jspecify.annotations.NullMarked;
