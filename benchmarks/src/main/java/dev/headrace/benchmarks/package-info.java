/** JMH's benchmarks, and comparisons that run them on several systems; results as JSON. */
@NullMarked
package dev.headrace.benchmarks;

import org.jspecify.annotations.NullMarked;
