package dev.headrace.spring;

import dev.headrace.api.NodeSettings;

/**
 * A bean that changes the settings of the application's node after the properties {@code
 * headrace.*} were applied, for what has no property: functions, and a placement of one's own.
 * Several are applied in their order.
 */
@FunctionalInterface
public interface NodeSettingsCustomizer {

  /** Changes the settings. */
  void customize(NodeSettings.Builder settings);
}
