/** Tests of the house as a whole: who may import whom. Nothing here runs Headrace. */
@NullMarked
package dev.headrace.architecture;

import org.jspecify.annotations.NullMarked;
