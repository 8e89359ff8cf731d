/**
 * The messages that nodes send about themselves: that they can be reached, how much memory they
 * use, and how much they hold of each cache. Packages {@code node} and {@code catalogue} use them.
 *
 * <p><b>Threading.</b> Messages are immutable.
 */
@NullMarked
package dev.headrace.cluster.message;

import org.jspecify.annotations.NullMarked;
