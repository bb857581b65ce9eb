import { parseArgs } from 'node:util';
import { startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import { RecordedChain } from '#libs/devkit/chain-replay/recorded-chain.js';

/**
 * A process that serves the looped recording to one indexer. First line on standard output: what the indexer needs;
 * second line: the wall time of the first request that came in, from which an indexer's time is counted. It ends when
 * its standard input closes.
 */
export interface ServedRecording {
  url: string;
  head: number;
  venues: RecordedChain['venues'];
  multicall3: string;
  tokens: { address: string; symbol: string; decimals: number }[];
}

export interface FirstRequest {
  firstRequestAt: number;
}

const LOOK_MS = 2;

const text = (fallback: string) => ({ type: 'string' as const, default: fallback });
const { values } = parseArgs({ options: { loops: text('1'), missing: text('') } });
const missingMethods = values.missing.split(',').filter((method) => method !== '');
const chain = new RecordedChain({ loops: Number(values.loops) });
const rpc = await startFaultRpc({ chain, faults: { missingMethods } });
const served: ServedRecording = {
  url: rpc.url,
  head: chain.headHeight,
  venues: chain.venues,
  multicall3: chain.multicall3,
  tokens: chain.tokens.map(({ address, symbol, decimals }) => ({ address, symbol, decimals })),
};
process.stdout.write(`${JSON.stringify(served)}\n`);

const watch = setInterval(() => {
  if (rpc.stats.httpRequests === 0 && Object.keys(rpc.stats.methods).length === 0) return;
  clearInterval(watch);
  process.stdout.write(`${JSON.stringify({ firstRequestAt: Date.now() } satisfies FirstRequest)}\n`);
}, LOOK_MS);
process.stdin.resume().on('end', () => {
  clearInterval(watch);
  void rpc.close().then(() => process.exit(0));
});
