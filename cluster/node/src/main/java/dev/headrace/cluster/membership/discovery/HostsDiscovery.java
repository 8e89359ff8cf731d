package dev.headrace.cluster.membership.discovery;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.cluster.membership.connection.NodeAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.PingHeader;
import org.jgroups.protocols.TCPPING;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.Responses;
import org.jspecify.annotations.Nullable;

/**
 * Finds nodes at the hosts that {@code Discovery.hosts} lists. A listed host is called
 * <i>named</i>.
 *
 * <pre>
 * state     event          guard                                next      effects
 * ------------------------------------------------------------------------------------------------
 * NEWCOMER  answers, or    this node is named, has listened     FOUNDING  ask again, and say so
 *           none in time   for 2 s, no named host is silent,
 *                          and all others are newcomers with
 *                          a greater address
 * FOUNDING  answers        the same still holds                 FOUNDING  found the cluster
 * FOUNDING  answers        it does not                          NEWCOMER
 * NEWCOMER  answers        one is not a newcomer                NEWCOMER  ask it for admission
 * any       view                                                MEMBER    every 500 ms make itself
 *                                                                         known at named hosts
 * </pre>
 *
 * <p>With JGroups' own TCPPING any node founds a cluster when nobody answers within a second: nodes
 * that start together, or a little before the one that all of them name, end as several clusters.
 * Here only a named node founds one: its own list names it, or another node whose list does has
 * asked it. It founds the cluster when every other named host is absent, or is a newcomer with a
 * greater address. It waits for a host that accepts connections and does not answer. All other
 * nodes search until a member answers.
 *
 * <p>A named host that comes back cannot know members that are not named. So members look for named
 * hosts that are not members, and a node founds a cluster only after it has listened for longer
 * than the interval of these looks.
 *
 * <p>The joining thread runs the search; JGroups' threads run the rest.
 */
final class HostsDiscovery extends TCPPING implements Founding {
  private static final long LOOK_MILLIS = 500;
  private static final long LISTEN_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** After this many rounds without an answer, the search checks whether only a proxy listens. */
  private static final int PATIENT_ROUNDS = 6;

  /** One of this many looks goes to members, too. */
  private static final int LOOKS_AT_MEMBERS = 2;

  private static final int HEARD = -1;
  private static final Comparator<SearchMessage.Peer> ORDER =
      Comparator.comparing(SearchMessage.Peer::address).thenComparing(SearchMessage.Peer::id);

  private final List<NamedHost> hosts;
  private final Map<NamedHost, HostSight> sights = new ConcurrentHashMap<>();
  private final BlockingQueue<SearchMessage> answers = new LinkedBlockingQueue<>();

  /** The addresses of members that have asked this newcomer. */
  private final Set<IpAddress> heard = ConcurrentHashMap.newKeySet();

  private volatile boolean named;
  private volatile SearchMessage.State newcomer = SearchMessage.State.NEWCOMER;
  private volatile boolean mayFound;
  private volatile boolean givenUp;
  private volatile long round;
  private int silentRounds; // used by the joining thread, as is the next field
  private long listeningSinceNanos;
  private int looks; // used by one look at a time
  private @Nullable Future<?> looking; // guarded by this

  /**
   * Resolves the hosts once, to fail early.
   *
   * @param hosts the hosts of the setting
   * @throws HeadraceException if no host has an address
   */
  HostsDiscovery(List<NamedHost> hosts) {
    this.hosts = List.copyOf(hosts);
    setId(ClassConfigurator.getProtocolId(TCPPING.class)); // it uses that protocol's messages
    portRange(0);
    List<IpAddress> resolved =
        hosts.stream().map(NamedHost::resolve).filter(Objects::nonNull).toList();
    if (resolved.isEmpty()) {
      throw new HeadraceException(
          "None of the hosts "
              + hosts.stream().map(NamedHost::text).toList()
              + " has an address: correct the names in Discovery.hosts, or the name service");
    }
    setInitialHosts(resolved.stream().map(NamedHost::socketAddress).toList());
  }

  // ---- Founding

  @Override
  public boolean mayFound() {
    return mayFound;
  }

  @Override
  public String outlook() {
    String seen =
        hosts.stream()
            .map(host -> host.text() + " " + sights.getOrDefault(host, HostSight.SILENT).text())
            .collect(Collectors.joining(", "));
    return named
        ? seen
        : seen
            + "; only a node that Discovery.hosts lists founds a cluster, and this one, at "
            + ownAddress()
            + ", is not listed";
  }

  @Override
  public void giveUp() {
    givenUp = true;
  }

  // ---- The search of a newcomer

  @Override
  public void findMembers(
      @Nullable List<Address> wanted, boolean initialDiscovery, Responses responses) {
    if (initialDiscovery) {
      search(responses);
    } else {
      super.findMembers(wanted, false, responses);
    }
  }

  /** Returns when members were found, or when this node may found the cluster. */
  private void search(Responses responses) {
    if (listeningSinceNanos == 0) {
      listeningSinceNanos = System.nanoTime();
    }
    while (!givenUp) {
      List<SearchMessage> found = ask();
      if (isFirst(found)) {
        newcomer = SearchMessage.State.FOUNDING; // told to others from now on
        found = ask();
        mayFound = isFirst(found);
        if (mayFound) {
          responses.done();
          return;
        }
        newcomer = SearchMessage.State.NEWCOMER;
      }
      if (found.stream().anyMatch(HostsDiscovery::isMember)) {
        answer(found, responses);
        return;
      }
      LockSupport.parkNanos(RETRY_NANOS);
    }
    throw new IllegalStateException("The node was closed before it was admitted");
  }

  private static boolean isMember(SearchMessage answer) {
    return answer.state() != SearchMessage.State.NEWCOMER;
  }

  /**
   * Whether this node may found the cluster: no other node may be a member, or become one first.
   */
  private boolean isFirst(List<SearchMessage> found) {
    IpAddress own = ownAddress();
    if (!named || own == null || System.nanoTime() - listeningSinceNanos < LISTEN_NANOS) {
      return false;
    }
    SearchMessage.Peer self = new SearchMessage.Peer(NodeAddress.nodeId(local_addr), own);
    return !sights.containsValue(HostSight.SILENT)
        && heard.isEmpty()
        && found.stream()
            .allMatch(answer -> !isMember(answer) && ORDER.compare(self, answer.sender()) < 0);
  }

  private void answer(List<SearchMessage> found, Responses responses) {
    for (SearchMessage answer : found) {
      SearchMessage.Peer coordinator = answer.coordinator();
      if (isMember(answer)) {
        boolean coordinates = coordinator != null && coordinator.equals(answer.sender());
        add(answer.sender(), coordinates, responses);
        if (coordinator != null && !coordinates) {
          add(coordinator, true, responses);
        }
      }
    }
    responses.done();
  }

  private void add(SearchMessage.Peer peer, boolean coordinates, Responses responses) {
    Address address = NodeAddress.address(peer.id());
    addDiscoveryResponseToCaches(address, null, peer.address());
    responses.addResponse(
        new PingData(address, true, null, peer.address()).coord(coordinates), true);
  }

  /** Asks all hosts that are present, and waits for their answers for a while. */
  private List<SearchMessage> ask() {
    IpAddress own = ownAddress();
    round = ThreadLocalRandom.current().nextLong();
    answers.clear();
    int asked = 0;
    for (int place = 0; place < hosts.size(); place++) {
      NamedHost host = hosts.get(place);
      IpAddress address = host.resolve();
      HostSight sight = sight(address, own);
      named |= sight == HostSight.SELF;
      sights.put(host, sight);
      if (sight == HostSight.SILENT && address != null) {
        question(address, place);
        asked++;
      }
    }
    heard.removeIf(member -> HostSight.at(NamedHost.socketAddress(member), false).isAbsent());
    for (IpAddress member : heard) {
      question(member, HEARD);
      asked++;
    }
    List<SearchMessage> found = awaitAnswers(asked);
    silentRounds = sights.containsValue(HostSight.SILENT) ? silentRounds + 1 : 0;
    return found;
  }

  private HostSight sight(@Nullable IpAddress address, @Nullable IpAddress own) {
    if (address == null) {
      return HostSight.NO_ADDRESS;
    }
    return address.equals(own)
        ? HostSight.SELF
        : HostSight.at(NamedHost.socketAddress(address), silentRounds >= PATIENT_ROUNDS);
  }

  private List<SearchMessage> awaitAnswers(int asked) {
    List<SearchMessage> found = new ArrayList<>();
    long deadlineNanos = System.nanoTime() + ANSWER_NANOS;
    for (int answered = 0; answered < asked; answered++) {
      SearchMessage answer = nextAnswer(deadlineNanos);
      if (answer == null) {
        return found;
      }
      HostSight sight = sight(answer);
      if (answer.place() >= 0 && answer.place() < hosts.size()) {
        sights.put(hosts.get(answer.place()), sight);
      } else if (sight != HostSight.MEMBER) {
        heard.remove(answer.sender().address()); // another process listens there now
        continue;
      }
      if (sight == HostSight.NEWCOMER || sight == HostSight.MEMBER) {
        found.add(answer);
      }
    }
    return found;
  }

  private @Nullable SearchMessage nextAnswer(long deadlineNanos) {
    try {
      return answers.poll(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      givenUp = true;
      return null;
    }
  }

  private HostSight sight(SearchMessage answer) {
    if (!answer.clusterName().equals(cluster_name)) {
      return HostSight.STRANGER;
    }
    if (NodeAddress.address(answer.sender().id()).equals(local_addr)) {
      named = true; // this node has another address than it knows
      return HostSight.SELF;
    }
    return isMember(answer) ? HostSight.MEMBER : HostSight.NEWCOMER;
  }

  // ---- Messages

  private void question(IpAddress to, int place) {
    IpAddress own = ownAddress();
    String name = cluster_name;
    if (own != null && name != null) {
      send(
          to,
          new PingHeader(PingHeader.GET_MBRS_REQ).clusterName(name),
          message(round, place, own, name));
    }
  }

  private SearchMessage message(long ofRound, int place, IpAddress own, String name) {
    View current = view;
    Address coordinator = current == null ? null : current.getCoord();
    IpAddress where = coordinator == null ? null : (IpAddress) physicalAddress(coordinator);
    return new SearchMessage(
        ofRound,
        place,
        current == null ? newcomer : SearchMessage.State.MEMBER,
        new SearchMessage.Peer(NodeAddress.nodeId(local_addr), own),
        coordinator == null || where == null
            ? null
            : new SearchMessage.Peer(NodeAddress.nodeId(coordinator), where),
        name);
  }

  private void send(Address to, PingHeader header, SearchMessage content) {
    down_prot.down(
        new BytesMessage(to, content.encode())
            .setFlag(Message.Flag.DONT_BUNDLE, Message.Flag.OOB)
            .setFlag(Message.TransientFlag.DONT_LOOPBACK)
            .putHeader(id, header.initialDiscovery(true)));
  }

  @Override
  protected @Nullable Object handle(PingHeader header, Message message) {
    if (!header.initialDiscovery()) {
      return super.handle(header, message);
    }
    SearchMessage content =
        SearchMessage.decode(message.getArray(), message.getOffset(), message.getLength());
    if (content == null) {
      log.debug("%s: a search of %s is not understood", local_addr, message.getSrc());
    } else if (header.type() == PingHeader.GET_MBRS_RSP) {
      if (content.round() == round) {
        answers.add(content);
      }
    } else {
      asked(content, message.getSrc());
    }
    return null;
  }

  private void asked(SearchMessage question, Address from) {
    IpAddress own = ownAddress();
    String name = cluster_name;
    if (own == null || name == null || is_leaving) {
      return; // the other node asks again
    }
    if (name.equals(question.clusterName())) {
      named |= question.place() != HEARD; // by the list of the node that asks
    }
    addDiscoveryResponseToCaches(from, null, question.sender().address());
    send(
        from,
        new PingHeader(PingHeader.GET_MBRS_RSP),
        message(question.round(), question.place(), own, name));
  }

  /** A member looks for named hosts. The next round asks it for its cluster. */
  @Override
  public void discoveryRequestReceived(
      Address sender, String logicalName, PhysicalAddress physicalAddress) {
    super.discoveryRequestReceived(sender, logicalName, physicalAddress);
    if (view == null && physicalAddress instanceof IpAddress member) {
      heard.add(member);
    }
  }

  // ---- The looks of a member

  @Override
  public Object down(Event event) {
    Object result = super.down(event);
    if (event.getType() == Event.VIEW_CHANGE) {
      beginLooking();
    }
    return result;
  }

  @Override
  public void stop() {
    super.stop();
    endLooking();
  }

  private synchronized void beginLooking() {
    if (looking == null) {
      looking =
          timer.scheduleWithFixedDelay(
              this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS, false);
    }
  }

  private synchronized void endLooking() {
    if (looking != null) {
      looking.cancel(false);
    }
  }

  /** Announces this member at named hosts. */
  private void look() {
    IpAddress own = ownAddress();
    View current = view;
    if (own == null || current == null || is_leaving || givenUp) {
      return;
    }
    Set<Object> members = new HashSet<>();
    current.getMembers().forEach(member -> members.add(physicalAddress(member)));
    boolean all = looks++ % LOOKS_AT_MEMBERS == 0;
    for (NamedHost host : hosts) {
      IpAddress address = host.resolve();
      if (address == null || address.equals(own)) {
        continue;
      }
      // Another process may by now listen at a member's address.
      if (members.contains(address)
          ? all
          : !HostSight.at(NamedHost.socketAddress(address), false).isAbsent()) {
        sendDiscoveryRequest(greeting(address, own));
      }
    }
  }

  private Message greeting(IpAddress to, IpAddress own) {
    return new BytesMessage(to)
        .setFlag(Message.Flag.DONT_BUNDLE, Message.Flag.OOB)
        .setFlag(Message.TransientFlag.DONT_LOOPBACK)
        .putHeader(id, new PingHeader(PingHeader.GET_MBRS_REQ).clusterName(cluster_name))
        .setArray(marshal(new PingData(local_addr, true, null, own).coord(is_coord)));
  }

  private @Nullable IpAddress ownAddress() {
    return (IpAddress) physicalAddress(local_addr);
  }

  private @Nullable Object physicalAddress(Address address) {
    return down(new Event(Event.GET_PHYSICAL_ADDRESS, address));
  }
}
