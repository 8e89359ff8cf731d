package dev.headrace.cluster.membership.discovery;

import org.jgroups.Event;
import org.jgroups.stack.Protocol;
import org.jgroups.util.Responses;
import org.jspecify.annotations.Nullable;

/**
 * Clears a newcomer's findings before each new search. JGroups keeps them: the newcomer would ask a
 * node that has gone again and again, and would not found a cluster although none is left.
 */
public final class FreshSearch extends Protocol {
  private @Nullable Responses kept; // used by the thread that joins

  @Override
  public Object down(Event event) {
    if (event.getType() != Event.FIND_INITIAL_MBRS) {
      return super.down(event);
    }
    if (kept != null) {
      kept.clear(); // the new findings are added to it
      return super.down(event);
    }
    Responses found = (Responses) super.down(event);
    kept = found;
    return found;
  }
}
