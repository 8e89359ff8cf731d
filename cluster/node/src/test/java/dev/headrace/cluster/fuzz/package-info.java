/** Feeds parsers with input that a coverage-guided fuzzer makes. */
@NullMarked
package dev.headrace.cluster.fuzz;

import org.jspecify.annotations.NullMarked;
