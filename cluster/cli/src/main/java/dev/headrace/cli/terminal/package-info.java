/**
 * What every command reads from and writes to, and how it fails: in one line on standard error that
 * says what failed, why, and what to do.
 */
@NullMarked
package dev.headrace.cli.terminal;

import org.jspecify.annotations.NullMarked;
