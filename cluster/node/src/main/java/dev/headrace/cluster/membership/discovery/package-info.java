/**
 * How nodes find each other: in a folder, at hosts that are named, by multicast, by DNS or from
 * Kubernetes.
 *
 * <p>{@link dev.headrace.cluster.membership.discovery.DiscoveryProtocols} makes the protocol that
 * the settings ask for. {@link dev.headrace.cluster.membership.discovery.FolderDiscovery} and
 * {@link dev.headrace.cluster.membership.discovery.HostsDiscovery} also decide whether a node that
 * finds nobody may found the cluster ({@link dev.headrace.cluster.membership.discovery.Founding}).
 *
 * <p>Threading: the joining thread searches, JGroups' threads do the rest. Each class says what
 * guards its fields.
 *
 * <p>Invariants: with {@code Founding}, of nodes that start together one founds the cluster and the
 * others join it; otherwise JGroups decides.
 */
@NullMarked
package dev.headrace.cluster.membership.discovery;

import org.jspecify.annotations.NullMarked;
