import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import type { LeaseHolder } from './lease-record.js';

/**
 * Names this process as a holder of leases. The instance is the data folder on its host, which one process at a time has open: so
 * a process that finds its own instance in a lease knows that the process which wrote it is gone. A folder that was copied, or
 * moved to another host, is another instance.
 */
export function ownInstance(dataDir: string, version: string): LeaseHolder {
  const { dev, ino } = statSync(dataDir);
  const host = hostname();
  const instance = createHash('sha256').update(`${host}\n${dataDir}\n${dev}\n${ino}`).digest('hex').slice(0, 16);
  return { instance, host, pid: process.pid, version };
}
