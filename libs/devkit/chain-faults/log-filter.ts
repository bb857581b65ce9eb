import type { LogKey } from '#libs/devkit/chain-builder/served-chain.js';

/** The filter of eth_getLogs and of a logs subscription. */
export interface LogFilter {
  matches(log: LogKey): boolean;
}

export function compileLogFilter(raw: { address?: unknown; topics?: unknown }): LogFilter {
  const addresses = alternatives(raw.address);
  const topics = Array.isArray(raw.topics) ? raw.topics.map(alternatives) : [];
  return {
    matches(log) {
      if (addresses && !addresses.has(log.address)) return false;
      for (let i = 0; i < topics.length; i++) {
        const wanted = topics[i];
        if (wanted === undefined || wanted === null) {
          // A wildcard position must still exist.
          if (log.topics.length <= i) return false;
          continue;
        }
        const topic = log.topics[i];
        if (topic === undefined || !wanted.has(topic)) return false;
      }
      return true;
    },
  };
}

/** null matches anything; so does an empty list, as nodes read it. */
function alternatives(value: unknown): Set<string> | null {
  if (value === null || value === undefined) return null;
  const list = Array.isArray(value) ? value : [value];
  return list.length === 0 ? null : new Set(list.map((item) => String(item).toLowerCase()));
}
