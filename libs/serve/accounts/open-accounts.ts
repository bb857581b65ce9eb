import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { AccountEntry, KeyRecord, KeyScope } from '#libs/protocol/accounts/account-record.js';
import { keyScopes } from '#libs/protocol/accounts/account-record.js';
import { type Prices, standardPrices } from '#libs/protocol/accounts/prices.js';
import { AdmissionController } from './admission-controller.js';
import { Directory } from './directory.js';
import { hashKey, newApiKey } from './key-text.js';
import { MemorySpending } from './memory-spending.js';
import { secretFile } from './secret-file.js';
import type { SpendingStore } from './spending.js';
import { UsageLedger } from './usage-ledger.js';

export interface AccountsOptions {
  dataDir: string;
  prices?: Prices;
  /** The demo key where the configuration has it, the same for every process; made once and kept in a file without it. */
  demoKey?: string | null;
  /** Requests a second of the demo account in place of its plan's; 0: no limit. */
  demoRate?: number | null;
  /** Where rate and credits are counted; in this process without it. */
  spending?: (ledger: UsageLedger, local: SpendingStore) => SpendingStore;
  /** The log belongs to this process: one that was killed before it is no other process that counts. */
  alone?: boolean;
  now?: () => number;
  /** Most live connections of one key at a time; no limit without it. */
  mostStreams?: number;
}

export interface OpenedAccounts {
  readonly admission: AdmissionController;
  readonly directory: Directory;
  readonly ledger: UsageLedger;
  close(): void;
}

const DEMO_ACCOUNT = 'demo';

/**
 * The accounts of a process. The demo account and its key belong to the data folder: the key is made once and kept in
 * `demo-key`; deleting that file retires the key at the next start and makes a new one. A configured one is in no file.
 * All others come from the topic, once a stage reads it.
 */
export async function openAccounts(options: AccountsOptions): Promise<OpenedAccounts> {
  const { dataDir, prices = standardPrices, demoKey = null, demoRate = null, alone = false } = options;
  const { now = Date.now, mostStreams } = options;
  const file = demoKey === null ? join(dataDir, 'demo-key') : null;
  const key = demoKey ?? (await secretFile(join(dataDir, 'demo-key'), newApiKey)).value;
  const directory = new Directory();
  for (const record of demoRecords(key, demoRate)) directory.put(record);
  const ledger = new UsageLedger(randomBytes(9).toString('base64url'), now);
  const local = new MemorySpending(now, () => (alone ? 1 : ledger.replicas));
  const spending = options.spending?.(ledger, local) ?? local;
  const admission = new AdmissionController({
    directory,
    ledger,
    spending,
    prices,
    demo: { key, file },
    now,
    mostStreams,
  });
  const timer = setInterval(() => admission.tick(), 1_000);
  timer.unref();
  const close = (): void => {
    clearInterval(timer);
    spending.close();
  };
  return { admission, directory, ledger, close };
}

export function demoRecords(key: string, rate: number | null): [AccountEntry, KeyRecord] {
  const scopes: readonly KeyScope[] = keyScopes;
  return [
    { kind: 'account', id: DEMO_ACCOUNT, name: 'Demo', plan: 'Enterprise', rate, createdAt: 0, closed: false },
    {
      ...{ kind: 'key', hash: hashKey(key), account: DEMO_ACCOUNT, name: 'demo-key', scopes, origins: [] },
      ...{ createdAt: 0, expiresAt: null, revokedAt: null },
    },
  ];
}
