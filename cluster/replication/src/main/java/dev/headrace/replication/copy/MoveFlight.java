package dev.headrace.replication.copy;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/**
 * A segment that gets one more owner as the JDK's flight recorder has it: from the beginning of the
 * copy to the table with the new owner, on the node that copies.
 */
@Name("dev.headrace.Move")
@Label("Segment Move")
@Description("A segment that its primary copies to a new owner, until the segment table names it")
@Category("Headrace")
@StackTrace(false)
final class MoveFlight extends Event {

  @Label("Segment")
  int segment;

  @Label("From")
  @Description("The node that copies, the primary of the segment")
  String from = "";

  @Label("To")
  @Description("The node that is to become an owner")
  String to = "";

  @Label("Caches")
  @Description("Caches with entries in the segment")
  int caches;

  @Label("Entries")
  @Description("Entries of the segment at the end, over all caches, on the node that copies")
  long entries;

  @Label("Bytes")
  @Description("Bytes of entries that the new owner has read")
  @DataAmount
  long bytes;

  @Label("Outcome")
  @Description("moved or failed")
  String outcome = "";

  @Label("Failure")
  @Description("Why it failed; nothing if the segment was moved")
  @Nullable String failure;
}
