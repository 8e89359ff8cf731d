/**
 * The command line. {@link dev.headrace.cluster.command.Main} is its entrance; each command is a
 * class and reaches the cluster through the public interface alone, as a node that holds nothing.
 *
 * <p>Results go to standard output, progress and errors to standard error. An error is one line:
 * what failed, why, and what to do.
 */
@NullMarked
package dev.headrace.cluster.command;

import org.jspecify.annotations.NullMarked;
