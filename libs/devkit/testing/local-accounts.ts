import { standardPrices } from '#libs/protocol/accounts/prices.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { AdmissionController } from '#libs/serve/accounts/admission-controller.js';
import { Directory } from '#libs/serve/accounts/directory.js';
import { MemorySpending } from '#libs/serve/accounts/memory-spending.js';
import { demoRecords, openAccounts } from '#libs/serve/accounts/open-accounts.js';
import { UsageLedger } from '#libs/serve/accounts/usage-ledger.js';

/** The demo account of a data folder, without a rate: for worlds that ask as fast as they can. */
export async function accountsWithoutLimits(dataDir: string): Promise<Accounts> {
  const { admission } = await openAccounts({ dataDir, demoRate: 0 });
  admission.ready = true;
  return admission;
}

/** One key of an account without limits, and a way to take it back. */
export function oneKey(key: string): { accounts: AdmissionController; revoke(): void } {
  const directory = new Directory();
  const [account, record] = demoRecords(key, 0);
  directory.put(account);
  directory.put(record);
  const ledger = new UsageLedger('test', Date.now);
  const spending = new MemorySpending(Date.now);
  const admission = new AdmissionController({
    ...{ directory, ledger, spending, prices: standardPrices, now: Date.now },
    demo: { key, file: '' },
  });
  admission.ready = true;
  return { accounts: admission, revoke: () => directory.put({ ...record, revokedAt: 1 }) };
}
