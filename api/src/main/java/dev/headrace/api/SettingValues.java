package dev.headrace.api;

import java.util.LinkedHashMap;
import java.util.Map;

/** All settings of a node by their names, by which they are compared and shown. Stateless. */
final class SettingValues {
  private SettingValues() {}

  static Map<String, Object> of(NodeSettings settings) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("clusterName", settings.clusterName());
    all.put("nodeName", settings.nodeName());
    all.put("bindAddress", settings.bindAddress());
    all.put("membershipPort", settings.membershipPort());
    all.put("dataPort", settings.dataPort());
    all.put("security", settings.security());
    all.put("requireSecurity", settings.requireSecurity());
    all.put("discovery", settings.discovery());
    all.put("capacity", settings.capacity());
    all.put("zone", settings.zone());
    all.put("segments", settings.segments());
    all.put("owners", settings.owners());
    all.put("placement", settings.placement());
    all.put("minOwners", settings.minOwners());
    all.put("splitPolicy", settings.splitPolicy());
    all.put("lostSegments", settings.lostSegments());
    all.put("hashSeed", settings.hashSeed());
    all.put("operationTimeout", settings.operationTimeout());
    all.put("joinTimeout", settings.joinTimeout());
    all.put("maxEntryBytes", settings.maxEntryBytes());
    all.put("busyPoll", settings.busyPoll());
    all.put("operationLoops", settings.operationLoops());
    all.put("bulkLoops", settings.bulkLoops());
    all.put("repairInterval", settings.repairInterval());
    all.put("repairBytesPerSecond", settings.repairBytesPerSecond());
    all.put("shutdownHook", settings.shutdownHook());
    all.put("shutdownTimeout", settings.shutdownTimeout());
    all.put("streamMemoryBytes", settings.streamMemoryBytes());
    all.put("memoryBytes", settings.memoryBytes());
    all.put("retainedChanges", settings.retainedChanges());
    all.put("functions", settings.functions());
    return all;
  }
}
