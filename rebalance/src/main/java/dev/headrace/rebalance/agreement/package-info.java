/**
 * The agreement: the machine by which the nodes of a cluster agree on their segment table.
 *
 * <p>It knows neither network nor clock: events go in with the time, effects come out. The
 * membership protocol's views propose, they decide nothing. On entering a view every node tells
 * every other what it has stored, and from then on takes tables only from that view's
 * <em>coordinator</em>: the first node with a capacity that entered the view with the newest table,
 * or, where nobody has one, the first node with a capacity, which founds the cluster. The
 * coordinator claims a <em>ballot</em>, has each table <em>stored</em>, and says that it is <em>in
 * force</em> once quorums of the data nodes have it. Only what is in force is acted upon.
 *
 * <p>Before the first write the table is <em>unwritten</em>: the coordinator places all segments
 * anew whenever a node comes or goes, and clusters of one name that meet become one. From the first
 * write on every table is made from the one before by a delta: who joins owns nothing, who crashes
 * is taken out, owners change by proposals, and clusters of different first writes do not touch
 * each other.
 *
 * <p>{@link dev.headrace.rebalance.agreement.TableAgreement} takes the events; what lasts as long
 * as a view is a {@link dev.headrace.rebalance.agreement.ViewSession}, which has a {@link
 * dev.headrace.rebalance.agreement.Coordinator} where this node is the coordinator.
 *
 * <p>Invariants: at every node epochs only grow, and the first write's number never changes; there
 * are no two tables of one epoch. Under {@link dev.headrace.api.SplitPolicy#DENY} all tables of one
 * first write that are ever in force anywhere form one line. Machines are not thread-safe; their
 * driver gives them one event at a time.
 */
@NullMarked
package dev.headrace.rebalance.agreement;

import org.jspecify.annotations.NullMarked;
