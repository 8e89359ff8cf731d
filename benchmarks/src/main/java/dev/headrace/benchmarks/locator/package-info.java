/**
 * What it costs to find the node of a key, and how well the ways to do so spread and keep keys.
 *
 * <p>The test is that of EVCache's proposal "Provide pluggable hashing and lookup strategy for
 * NodeLocator": one operation looks up 2000 texts, {@code key_} and a number and a tail of 0 or 50
 * letters, among 10 or 120 nodes. All rings and structures run beside EVCache's own locator, and so
 * do the ways that are better.
 *
 * <p>Times and allocated bytes come from JMH, see {@link dev.headrace.benchmarks.harness}; what is
 * counted (balance, moved keys, wrong answers) comes from the comparison, which runs on one thread.
 */
@NullMarked
package dev.headrace.benchmarks.locator;

import org.jspecify.annotations.NullMarked;
