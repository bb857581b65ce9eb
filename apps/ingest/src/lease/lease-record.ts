import { LogBrokenError } from '#libs/core/errors.js';
import type { Append } from '#libs/pipeline/event-log/log.js';
import { leaseTopic } from '#libs/protocol/topics.js';

/** A process that reads a chain, or could. */
export interface LeaseHolder {
  /** The same for every process on one data folder, which only one at a time can have open. */
  readonly instance: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
}

/** What the holder of a chain says again and again. */
export interface LeaseRecord {
  readonly version: 1;
  readonly holder: LeaseHolder;
  /** Of one tenure: from one taking over to its end. */
  readonly term: string;
  /** Counts what was said in this term. */
  readonly renewal: number;
  /** True: given back in order, so that no standby has to wait. */
  readonly released: boolean;
}

export const leaseAppend = (chain: string, record: LeaseRecord): Append => ({
  topic: leaseTopic(chain),
  key: chain,
  value: Buffer.from(JSON.stringify(record)),
});

export function parseLease(chain: string, value: Uint8Array): LeaseRecord {
  const record = JSON.parse(Buffer.from(value).toString('utf8')) as LeaseRecord;
  if (record?.version === 1 && typeof record.term === 'string' && Number.isSafeInteger(record.renewal)) return record;
  throw new LogBrokenError(`${leaseTopic(chain).name}: a record is not readable by this version`);
}
