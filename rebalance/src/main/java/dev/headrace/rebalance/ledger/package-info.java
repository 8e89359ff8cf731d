/**
 * The ledger: the machine by which the nodes of a cluster agree on their segment table.
 *
 * <p>It knows neither network nor clock: events go in, effects come out. The membership protocol's
 * views propose, they decide nothing. On entering a view every node tells every other which table
 * it holds, and from then on takes tables only from that view's <em>convener</em>: the first node
 * with a capacity that entered the view with the newest table, or, where nobody has one, the first
 * node with a capacity, which founds the cluster. So each node follows one convener at a time, and
 * a convener builds on the newest table that any data node of its view has taken.
 *
 * <p>Before the first write the table is <em>unsealed</em>: the convener places all segments anew
 * whenever a node comes or goes, and islands of one cluster that meet become one. The first write
 * seals it. From then on owners are only taken away, data nodes are no longer let in, and islands
 * with different seals do not touch each other.
 *
 * <p>Invariants: at every node epochs only grow, and a seal never changes; there are no two tables
 * of one epoch. Machines are not thread-safe; their driver gives them one event at a time.
 */
@NullMarked
package dev.headrace.rebalance.ledger;

import org.jspecify.annotations.NullMarked;
