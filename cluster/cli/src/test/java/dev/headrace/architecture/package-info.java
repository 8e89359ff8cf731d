/** Tests of the project as a whole: who may import whom, and which names the pages may use. */
@NullMarked
package dev.headrace.architecture;

import org.jspecify.annotations.NullMarked;
