/**
 * Loads that go on after an interruption: in a file of its own lies how many records of the text
 * have been acknowledged ({@link dev.headrace.cli.load.LoadProgress}), which is replaced as a
 * whole.
 *
 * <p>A load with such a file is made of parts of about a second. When all of a part is
 * acknowledged, the file follows; then the next part begins. So what the file says has happened,
 * and a load that goes on repeats a part at most, which writes the same values again.
 *
 * <p>Used by one thread at a time, which may be another one for each part.
 */
@NullMarked
package dev.headrace.cli.load;

import org.jspecify.annotations.NullMarked;
