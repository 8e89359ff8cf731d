/**
 * A Chromium of this machine for tests of the console, driven over its DevTools protocol. Threads:
 * a browser and its pages are used by one; the JDK's WebSocket brings replies on threads of its
 * own.
 */
@NullMarked
package dev.headrace.http.browser;

import org.jspecify.annotations.NullMarked;
