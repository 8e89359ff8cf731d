package dev.headrace.jcache.management;

import java.lang.management.ManagementFactory;
import java.net.URI;
import javax.cache.CacheException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * A bean of a cache under its name in the platform's bean server, where it can be shown and hidden.
 * Thread-safe.
 *
 * <p>Managers of one URI with different class loaders have the same names for caches of the same
 * name: the first that shows its bean is seen.
 */
public final class ManagedBean {
  private final Object bean;
  private final ObjectName name;

  /** Guarded by this. */
  private boolean shown;

  /**
   * A bean that is not shown yet.
   *
   * @param type CacheConfiguration or CacheStatistics
   * @param manager the URI of the cache's manager
   * @param cache the cache's name
   */
  public ManagedBean(Object bean, String type, URI manager, String cache) {
    this.bean = bean;
    try {
      this.name =
          new ObjectName(
              "javax.cache:type="
                  + type
                  + ",CacheManager="
                  + safe(manager.toString())
                  + ",Cache="
                  + safe(cache));
    } catch (JMException e) {
      throw new CacheException("There is no name for the " + type + " of " + cache, e);
    }
  }

  /** Shows or hides it; without effect if it is so already. */
  public synchronized void show(boolean visible) {
    if (visible == shown) {
      return;
    }
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    try {
      if (!visible) {
        shown = false;
        server.unregisterMBean(name);
      } else if (!server.isRegistered(name)) {
        server.registerMBean(bean, name);
        shown = true;
      }
    } catch (InstanceNotFoundException e) {
      shown = false; // Somebody else has removed it from the server.
    } catch (JMException e) {
      throw new CacheException("The bean " + name + " cannot be shown or hidden", e);
    }
  }

  /** A text without the characters that mean something in names of beans. */
  private static String safe(String text) {
    return text.replaceAll("[:=\n,*?\"]", ".");
  }
}
