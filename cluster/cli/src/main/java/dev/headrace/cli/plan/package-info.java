/**
 * The planner at the command line: what would move if nodes came, left or crashed. Nothing is
 * joined and nothing is started; members are given as arguments.
 */
@NullMarked
package dev.headrace.cli.plan;

import org.jspecify.annotations.NullMarked;
