package dev.headrace.cluster.wire.connection;

/** The purpose of a connection. The ordinals are sent. */
public enum ConnectionClass {
  /** Operations and replication: small and urgent. */
  OPERATIONS,
  /** Read requests and their answers: large. */
  BULK
}
