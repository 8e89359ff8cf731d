/**
 * What it takes to bring one line of tables to many members: the log of its steps, how far each
 * member is, what makes a quorum, how long a member may serve, and where a member's table differs.
 *
 * <p>Everything here is a plain machine or a value: the {@code agreement} decides what is sent and
 * when, and hands time in. Nothing is thread-safe; the agreement's driver gives one event at a
 * time. Only {@link dev.headrace.rebalance.publish.TableGossip}, by which nodes tell each other of
 * tables on their own account, may be used by several threads.
 *
 * <p>Invariants: a log is bounded, and what it keeps is one line, each table made from the one
 * before by one delta. A position only grows while its member acknowledges tables of that line.
 */
@NullMarked
package dev.headrace.rebalance.publish;

import org.jspecify.annotations.NullMarked;
