import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { TidepoolError } from '#libs/core/errors.js';
import { type Account, type Accounts, type Plan, planRates } from './account.js';
import { secretFile } from './secret-file.js';

/** One stored key: a file `accounts/keys/<sha256 of the key>.json`. The key itself is nowhere in it. */
interface KeyRecord {
  version: 1;
  account: { id: string; name: string; plan: Plan };
  createdAt: number;
}

const DEMO: KeyRecord['account'] = { id: 'demo', name: 'Demo', plan: 'Enterprise' };

/**
 * Accounts of a data folder. Keys are random with 192 bits, so one SHA-256 is their store and their index. The demo key
 * is made once and kept in `demo-key`; deleting that file retires the key at the next start and makes a new one.
 */
export async function openAccounts(options: { dataDir: string }): Promise<Accounts> {
  const folder = join(options.dataDir, 'accounts', 'keys');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const demoFile = join(options.dataDir, 'demo-key');
  const demo = await secretFile(demoFile, () => `tp_${randomBytes(24).toString('base64url')}`);
  const byHash = await readKeys(folder);
  const demoHash = hashKey(demo.value);
  for (const [hash, account] of byHash) {
    if (account.id !== DEMO.id || hash === demoHash) continue;
    await unlink(join(folder, `${hash}.json`)).catch(ignoreMissing);
    byHash.delete(hash);
  }
  if (!byHash.has(demoHash)) {
    await writeKey(folder, demoHash, { version: 1, account: DEMO, createdAt: Date.now() });
    byHash.set(demoHash, DEMO);
  }
  return {
    authenticate: (key) => byHash.get(hashKey(key)) ?? null,
    demo: { key: demo.value, file: demoFile },
  };
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}

async function readKeys(folder: string): Promise<Map<string, Account>> {
  const keys = new Map<string, Account>();
  for (const name of await readdir(folder)) {
    const hash = /^([0-9a-f]{64})\.json$/.exec(name)?.[1];
    if (hash === undefined) continue;
    // Another process that starts now may retire an old demo key at the same time.
    const text = await readFile(join(folder, name), 'utf8').catch(ignoreMissing);
    if (text !== undefined) keys.set(hash, parseRecord(join(folder, name), text).account);
  }
  return keys;
}

function parseRecord(path: string, text: string): KeyRecord {
  try {
    const record = JSON.parse(text) as KeyRecord;
    const { id, name, plan } = record.account;
    if (record.version === 1 && typeof id === 'string' && typeof name === 'string' && Object.hasOwn(planRates, plan)) {
      return record;
    }
  } catch (error) {
    throw new TidepoolError('key_record_broken', `${path} is not a key record; delete it to retire the key`, {
      cause: error,
    });
  }
  throw new TidepoolError('key_record_broken', `${path} is not a key record; delete it to retire the key`);
}

/** Whole or not at all: written and synced under another name, then renamed. */
async function writeKey(folder: string, hash: string, record: KeyRecord): Promise<void> {
  const draft = join(folder, `.${hash}.${randomBytes(4).toString('hex')}.draft`);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(JSON.stringify(record));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, `${hash}.json`));
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
