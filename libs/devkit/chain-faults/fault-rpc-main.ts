import { parseArgs } from 'node:util';
import { RecordedChain } from '#libs/devkit/chain-replay/recorded-chain.js';
import { startFaultRpc } from './fault-rpc.js';

/**
 * Serves the recorded chain by itself: `node dist/libs/devkit/chain-faults/fault-rpc-main.js --loops 20 --port 8600`.
 * The first line on standard output is JSON with everything a benchmark needs to configure a client; the process ends
 * on SIGTERM, SIGINT, or when its standard input closes and --watch-stdin is given.
 */
const { values } = parseArgs({
  options: {
    loops: { type: 'string', default: '1' },
    port: { type: 'string', default: '8600' },
    finality: { type: 'string', default: '64' },
    'max-range': { type: 'string' },
    'max-results': { type: 'string' },
    'watch-stdin': { type: 'boolean', default: false },
  },
});

function integer(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new RangeError(`--${name} must be a whole number, not ${text}`);
  return value;
}

const chain = new RecordedChain({ loops: integer('loops', values.loops) ?? 1 });
const rpc = await startFaultRpc({
  chain,
  port: integer('port', values.port) ?? 8600,
  faults: {
    finalityDepth: integer('finality', values.finality) ?? 64,
    maxLogRange: integer('max-range', values['max-range']),
    maxLogResults: integer('max-results', values['max-results']),
  },
});
const ready = {
  url: rpc.url,
  wsUrl: rpc.wsUrl,
  chainId: chain.chainId,
  head: chain.headHeight,
  logs: chain.logCount,
  genesisHash: chain.genesisHash,
  venues: chain.venues,
  multicall3: chain.multicall3,
  tokens: chain.tokens.map(({ address, symbol, decimals }) => ({ address, symbol, decimals })),
};
process.stdout.write(`${JSON.stringify(ready)}\n`);

let stopping = false;
function stop(): void {
  if (stopping) return;
  stopping = true;
  process.stdout.write(`${JSON.stringify(rpc.stats)}\n`);
  void rpc.close().then(() => process.exit(0));
}
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
if (values['watch-stdin']) process.stdin.resume().on('end', stop);
