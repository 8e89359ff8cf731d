package dev.headrace.cluster.membership;

import org.jgroups.Event;
import org.jgroups.stack.Protocol;
import org.jgroups.util.Responses;
import org.jspecify.annotations.Nullable;

/**
 * Lets a newcomer forget what it has found whenever it looks again. JGroups keeps it: a node that
 * has gone meanwhile would be asked again and again to let it in, and keep it from founding the
 * cluster that there is none of any more.
 */
final class FreshSearch extends Protocol {
  private @Nullable Responses kept; // used by the thread that joins

  @Override
  public Object down(Event event) {
    if (event.getType() != Event.FIND_INITIAL_MBRS) {
      return super.down(event);
    }
    if (kept != null) {
      kept.clear(); // what is found now is added to it
      return super.down(event);
    }
    Responses found = (Responses) super.down(event);
    kept = found;
    return found;
  }
}
