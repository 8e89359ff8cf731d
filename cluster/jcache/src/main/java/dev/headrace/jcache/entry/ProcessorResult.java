package dev.headrace.jcache.entry;

import javax.cache.CacheException;
import javax.cache.processor.EntryProcessorException;
import javax.cache.processor.EntryProcessorResult;
import org.jspecify.annotations.Nullable;

/**
 * What an entry processor has returned or thrown for one of several keys.
 *
 * @param value what it has returned; null if it has thrown
 * @param failure what it has thrown; null if it has returned
 */
public record ProcessorResult<T>(@Nullable T value, @Nullable CacheException failure)
    implements EntryProcessorResult<T> {

  @Override
  public @Nullable T get() {
    if (failure instanceof EntryProcessorException ofProcessor) {
      throw ofProcessor;
    }
    if (failure != null) {
      throw new EntryProcessorException(failure);
    }
    return value;
  }
}
