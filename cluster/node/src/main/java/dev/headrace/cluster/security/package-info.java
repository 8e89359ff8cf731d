/**
 * Security: how two nodes prove to each other that they belong together, on both ports.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.cluster.security.PortSecurity} is a node's setting as
 * connections use it: nothing, a {@link dev.headrace.cluster.security.SharedSecret}, or a {@link
 * dev.headrace.cluster.security.TlsIdentity}. The packages of membership and wire put it in front
 * of their connections.
 *
 * <p><b>Threading.</b> Thread-safe.
 *
 * <p><b>Invariants.</b> A secret leaves this package only within a proof; proofs are compared in
 * constant time; a proof is bound to the port, the role and the nonces of both sides.
 */
@NullMarked
package dev.headrace.cluster.security;

import org.jspecify.annotations.NullMarked;
