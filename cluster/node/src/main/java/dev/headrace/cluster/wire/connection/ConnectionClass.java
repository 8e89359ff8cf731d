package dev.headrace.cluster.wire.connection;

/** What a connection is for. The order is the wire's. */
public enum ConnectionClass {
  /** Operations and replication: small and urgent. */
  OPERATIONS,
  /** Read requests and their answers: large. */
  BULK
}
