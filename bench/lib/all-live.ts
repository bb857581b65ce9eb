import { setTimeout as delay } from 'node:timers/promises';
import type { LiveProgram } from './live-program.js';

/** What /status of the API tells of a chain. */
export interface ChainStatus {
  chain: string;
  state: string;
  head: { block: number; time: number } | null;
  sealed: number | null;
}

const PATIENCE_MS = 900_000;

export async function chainStatus(program: LiveProgram): Promise<ChainStatus[] | null> {
  const response = await fetch(`${program.api}/status`, { headers: { 'x-api-key': program.key } });
  return response.ok ? ((await response.json()) as { data: { chains: ChainStatus[] } }).data.chains : null;
}

/** Until every one of the chains is at its head. */
export async function allLive(program: LiveProgram, slugs: readonly string[]): Promise<ChainStatus[]> {
  for (const end = performance.now() + PATIENCE_MS; ; await delay(500)) {
    const chains = (await chainStatus(program)) ?? [];
    if (slugs.every((slug) => chains.some(({ chain, state }) => chain === slug && state === 'live'))) return chains;
    if (performance.now() > end) throw new Error(`not every chain came to its head in ${PATIENCE_MS / 1000} s`);
  }
}
