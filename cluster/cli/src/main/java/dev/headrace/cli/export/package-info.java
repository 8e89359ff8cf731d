/**
 * Exports that can be interrupted at any byte: beside the file lies its progress ({@link
 * dev.headrace.cli.export.ExportProgress}), which is replaced as a whole, and only after the file
 * has reached the disk as far as the progress says.
 *
 * <p>Used by one thread at a time.
 */
@NullMarked
package dev.headrace.cli.export;

import org.jspecify.annotations.NullMarked;
