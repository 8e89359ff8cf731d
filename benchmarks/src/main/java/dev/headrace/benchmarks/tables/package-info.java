/**
 * The tables of figures on the project's pages, made from the committed results.
 *
 * <p>Threading: one thread.
 */
@NullMarked
package dev.headrace.benchmarks.tables;

import org.jspecify.annotations.NullMarked;
