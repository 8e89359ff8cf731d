package dev.headrace.cluster.membership;

import java.io.DataInput;
import java.io.DataOutput;
import org.jgroups.util.SizeStreamable;

/** A class that a stranger names, and that leaves a trace when it is initialized. */
public final class MarkerObject implements SizeStreamable {
  public static final String TRACE = "headrace.test.marker.initialized";

  static {
    System.setProperty(TRACE, "true");
  }

  @Override
  public int serializedSize() {
    return 0;
  }

  @Override
  public void writeTo(DataOutput out) {}

  @Override
  public void readFrom(DataInput in) {}
}
