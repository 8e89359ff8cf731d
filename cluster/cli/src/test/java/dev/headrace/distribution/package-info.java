/** Tests of what is handed out: the archive, the container's recipe, and the chart. */
@NullMarked
package dev.headrace.distribution;

import org.jspecify.annotations.NullMarked;
