/** One class per question, peers side by side; results as JSON. */
@NullMarked
package dev.headrace.benchmarks;

import org.jspecify.annotations.NullMarked;
