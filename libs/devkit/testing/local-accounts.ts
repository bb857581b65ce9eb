import { standardPrices } from '#libs/protocol/accounts/prices.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { Directory } from '#libs/serve/accounts/directory.js';
import { Gate } from '#libs/serve/accounts/gate.js';
import { MemorySpending } from '#libs/serve/accounts/memory-spending.js';
import { demoRecords, openAccounts } from '#libs/serve/accounts/open-accounts.js';
import { UsageLedger } from '#libs/serve/accounts/usage-ledger.js';

/** The demo account of a data folder, without a rate: for worlds that ask as fast as they can. */
export async function accountsWithoutLimits(dataDir: string): Promise<Accounts> {
  const { gate } = await openAccounts({ dataDir, demoRate: 0 });
  gate.ready = true;
  return gate;
}

/** One key of an account without limits, and a way to take it back. */
export function oneKey(key: string): { accounts: Gate; revoke(): void } {
  const directory = new Directory();
  const [account, record] = demoRecords(key, 0);
  directory.put(account);
  directory.put(record);
  const ledger = new UsageLedger('test', Date.now);
  const spending = new MemorySpending(Date.now);
  const gate = new Gate({
    ...{ directory, ledger, spending, prices: standardPrices, now: Date.now },
    demo: { key, file: '' },
  });
  gate.ready = true;
  return { accounts: gate, revoke: () => directory.put({ ...record, revokedAt: 1 }) };
}
