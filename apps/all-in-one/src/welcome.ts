import { setTimeout as delay } from 'node:timers/promises';
import type { Runtime } from '#libs/platform/runtime.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import { readTrades } from '#libs/serve/reader/read-trades.js';

export interface WelcomeDeps {
  runtime: Runtime;
  api: string;
  base: string;
  /** null: there is no gateway. */
  rpc: string | null;
  admin: string;
  readers: ReadonlyMap<string, ChainReader>;
  /** null: this instance asks for no keys. */
  demo: Accounts['demo'] | null;
}

/**
 * What a newcomer reads once the first trades can be asked for: where the page and the listeners are, the key, a request to
 * try. The key itself, and the link that brings it to the page, are shown to a terminal only; elsewhere its file is named.
 */
export async function welcome(deps: WelcomeDeps): Promise<void> {
  const { runtime, demo } = deps;
  const coin = await firstTraded(deps);
  if (runtime.shutdown.signal.aborted) return;
  const terminal = process.stdout.isTTY === true;
  const place = demo?.file ?? null;
  const key = demo === null ? null : terminal ? demo.key : place === null ? '$TIDEPOOL_DEMO_KEY' : `$(cat ${place})`;
  const header = key === null ? '' : `-H "x-api-key: ${key}" `;
  const path = coin === null ? '/chains' : `/tokens/${coin.chain}/${coin.address}/candles?interval=1m&limit=5`;
  const lines = [
    '',
    `  Tidepool ${runtime.version}`,
    '',
    `  console       ${deps.api}${demo === null ? '' : terminal ? `/#key=${demo.key}` : ' (asks for the demo key)'}`,
    `  market data   ${deps.api}`,
    `  router        ${deps.base}`,
    ...(deps.rpc === null ? [] : [`  JSON-RPC      ${deps.rpc}`]),
    `  operators     ${deps.admin}/status`,
    `  data          ${runtime.folder.dir}`,
    `  demo key      ${demo === null ? 'none: accounts are off' : terminal ? demo.key : `in ${place ?? 'TIDEPOOL_DEMO_KEY'}`}`,
    '',
    '  Try:',
    `  curl -s ${header}"${deps.api}${path}"`,
    '',
    '  Ctrl-C stops it; the next start continues where this one ended.',
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** The coin of the first chain whose trades can be read, or null when the process ends before. */
async function firstTraded(deps: WelcomeDeps): Promise<{ chain: string; address: string } | null> {
  const { signal } = deps.runtime.shutdown;
  const until = performance.now() + 120_000;
  while (!signal.aborted && performance.now() < until) {
    for (const reader of deps.readers.values()) {
      if (!reader.status().ready) continue;
      const { token } = reader.chain.wrappedNative;
      const { trades } = await readTrades(reader.view(), { token, limit: 1 });
      if (trades.length > 0) return { chain: reader.chain.slug, address: reader.chain.ids.formatAddress(token) };
    }
    await delay(200, undefined, { signal }).catch(() => undefined);
  }
  return null;
}
