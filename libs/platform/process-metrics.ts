import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metrics } from './metrics.js';

/** Memory, processor time and event-loop delay of this process. Returns the function that stops the measuring. */
export function addProcessMetrics(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  metrics.gauge('process_resident_memory_bytes', 'Resident memory', (gauge) => gauge.set(process.memoryUsage.rss()));
  metrics.gauge('process_heap_used_bytes', 'JavaScript heap in use', (gauge) =>
    gauge.set(process.memoryUsage().heapUsed),
  );
  metrics.gauge('process_cpu_seconds_total', 'User and system processor time', (gauge) => {
    const { user, system } = process.cpuUsage();
    gauge.set((user + system) / 1e6);
  });
  metrics.gauge('process_uptime_seconds', 'Seconds since the start', (gauge) => gauge.set(process.uptime()));
  metrics.gauge(
    'nodejs_event_loop_delay_p99_seconds',
    'Event-loop delay since the last reading, 99th percentile',
    (gauge) => {
      gauge.set(delay.count > 0 ? delay.percentile(99) / 1e9 : 0);
      delay.reset();
    },
  );
  return () => delay.disable();
}
