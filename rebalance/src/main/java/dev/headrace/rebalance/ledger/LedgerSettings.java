package dev.headrace.rebalance.ledger;

import dev.headrace.rebalance.table.Member;

/**
 * What a ledger is told once.
 *
 * @param self this node
 * @param terms what this node wants its cluster to be
 * @param split what a part of the cluster may do alone
 * @param resendNanos after how long a message without an answer is sent again
 */
public record LedgerSettings(Member self, Terms terms, SplitPolicy split, long resendNanos) {}
