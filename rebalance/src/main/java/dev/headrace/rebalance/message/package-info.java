/**
 * What nodes send each other about tables beside the agreement on them: what another one lacks, and
 * how far a rebalance is.
 *
 * <p><b>Threading.</b> Messages are immutable.
 */
@NullMarked
package dev.headrace.rebalance.message;

import org.jspecify.annotations.NullMarked;
