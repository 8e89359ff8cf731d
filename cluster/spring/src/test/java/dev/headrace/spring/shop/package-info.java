/** An application with a cached catalogue, of which several instances run side by side. */
@NullMarked
package dev.headrace.spring.shop;

import org.jspecify.annotations.NullMarked;
