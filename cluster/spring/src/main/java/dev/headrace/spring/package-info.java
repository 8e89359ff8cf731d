/**
 * A node in a Spring Boot application, from properties.
 *
 * <p>{@link dev.headrace.spring.HeadraceAutoConfiguration} starts the node before the application
 * takes requests and closes it after it has stopped to; {@link
 * dev.headrace.spring.HeadraceCacheAutoConfiguration} gives it to the cache abstraction; {@link
 * dev.headrace.spring.HeadraceHealthAutoConfiguration}, {@link
 * dev.headrace.spring.HeadraceMetricsAutoConfiguration} and {@link
 * dev.headrace.spring.HeadraceObservationsAutoConfiguration} tell how it is and what it does.
 *
 * <p><b>Threading.</b> Beans are made by one thread; what they are is thread-safe.
 *
 * <p><b>Invariants.</b> A property that is not set leaves the default of {@link
 * dev.headrace.api.NodeSettings}. Each bean gives way to one of the application.
 */
@NullMarked
package dev.headrace.spring;

import org.jspecify.annotations.NullMarked;
