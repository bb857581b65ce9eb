import 'reflect-metadata';
import { keyScopes } from '#libs/protocol/accounts/account-record.js';
import { standardPrices } from '#libs/protocol/accounts/prices.js';
import { AdmissionController } from '#libs/serve/accounts/admission-controller.js';
import { Directory } from '#libs/serve/accounts/directory.js';
import { hashKey } from '#libs/serve/accounts/key-text.js';
import { MemorySpending } from '#libs/serve/accounts/memory-spending.js';
import { RedisSpending } from '#libs/serve/accounts/redis-spending.js';
import { UsageLedger } from '#libs/serve/accounts/usage-ledger.js';
import { TokenPath } from '#libs/serve/contract/rest/path-parameters.js';
import { TradesQuery } from '#libs/serve/contract/rest/queries.js';
import { TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import { Answer } from '#libs/serve/http/answer.js';
import { routeOf } from '#libs/serve/http/declared-route.js';
import { createListener } from '#libs/serve/http/listener.js';

/** The accounts of a process: so many, each with a key, a rate and credits that are counted. */
export function benchAccounts(count: number, redisUrl: string | null) {
  const directory = new Directory();
  const ledger = new UsageLedger('bench', Date.now);
  const made = { name: '', createdAt: 0 } as const;
  directory.put({ kind: 'plan', name: 'Bench', rate: 1_000_000, credits: 1e12 });
  const keys = Array.from({ length: count }, (_, n) => `tp_${String(n).padStart(32, '0')}`);
  for (const [n, key] of keys.entries()) {
    directory.put({ kind: 'account', id: `a${n}`, plan: 'Bench', rate: null, closed: false, ...made });
    directory.put({
      ...{ kind: 'key', hash: hashKey(key), account: `a${n}`, scopes: keyScopes, origins: [], ...made },
      ...{ expiresAt: null, revokedAt: null },
    });
  }
  const local = new MemorySpending(Date.now);
  const quiet = { info: () => undefined, warn: () => undefined };
  const spending = redisUrl === null ? local : new RedisSpending({ url: redisUrl, local, logger: quiet });
  const gate = new AdmissionController({
    ...{ directory, ledger, spending, prices: standardPrices, now: Date.now, demo: { key: '', file: '' } },
  });
  gate.ready = true;
  return { gate, keys, spending };
}

/** As the page of trades of a token: its parameters are checked as those of every route. */
const HOT_PATH = '/tokens/:chain/:address/trades';

/** What a hot route answers from memory: a page of a list. */
const BODY = Answer.json({
  data: Array.from({ length: 20 }, (_, n) => ({ id: n, name: 'a row of a list', price: 1.25 })),
});

/** Serves one hot route, with keys or without; tells its port, and its CPU time since it was last asked. */
async function serve(withKeys: boolean): Promise<void> {
  const { gate } = benchAccounts(1_000, null);
  const declaration = declareRoute({
    ...{ id: 'bench', method: 'GET', path: HOT_PATH, summary: 'Bench', parameters: TokenPath, query: TradesQuery },
    ...{ answer: TradesAnswer, errors: [], access: 'keyed', cost: 'read', cache: 'revalidate' },
  });
  const listener = await createListener({
    routes: [routeOf<TokenPath, TradesQuery>(declaration, () => BODY)],
    ...{ accounts: withKeys ? gate : null, host: '127.0.0.1', port: 0 },
    errorBody: ({ code, message }) => ({ error: { code, message } }),
    logger: { info: () => undefined, warn: () => undefined, error: console.error },
  });
  let before = process.cpuUsage();
  process.on('message', () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    process.send!({ cpuMicros: user + system });
  });
  process.send!({ port: Number(new URL(listener.url).port) });
}

if (process.send !== undefined && process.argv[2] !== undefined) await serve(process.argv[2] === 'keys');
