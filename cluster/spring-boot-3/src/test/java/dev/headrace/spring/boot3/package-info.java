/** The starter, as it is built with Boot 4, in applications with Boot 3.5. */
@NullMarked
package dev.headrace.spring.boot3;

import org.jspecify.annotations.NullMarked;
