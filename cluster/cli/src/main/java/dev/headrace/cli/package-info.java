/**
 * The command line. {@link dev.headrace.cli.Main} is its entrance; each command is a class and
 * reaches the cluster through the public interface alone, as a node that holds nothing. What they
 * share is in {@code terminal} (what is read and written, how a command fails), {@code cluster}
 * (options, caches), {@code file} and {@code progress}; keys and values become text in {@link
 * dev.headrace.http.text}.
 *
 * <p>Results go to standard output, progress and errors to standard error. An error is one line:
 * what failed, why, and what to do; a scan that can go on adds a line with its token.
 */
@NullMarked
package dev.headrace.cli;

import org.jspecify.annotations.NullMarked;
