import { parseArgs } from 'node:util';
import { type LocalSlug, startLocalChain } from './local-chain.js';
import { MARKETS } from './markets/all.js';

/**
 * Runs the local chain by itself: `node dist/libs/devkit/devnet/evm/local-chain-main.js --data DIR [--chain eth] [--port P]`.
 * Prints one JSON line when it is ready; SIGTERM or SIGINT stops it in order.
 */
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    chain: { type: 'string', default: Object.keys(MARKETS)[0]! },
    port: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    history: { type: 'string', default: '600' },
    'block-time': { type: 'string', default: '1000' },
    'history-end': { type: 'string' },
    pace: { type: 'string', default: '1' },
    quiet: { type: 'boolean', default: false },
    'no-reorgs': { type: 'boolean', default: false },
  },
});
if (values.data === undefined) throw new RangeError('--data DIR is missing: the folder of the chain');
if (!Object.hasOwn(MARKETS, values.chain)) {
  throw new RangeError(`--chain is one of ${Object.keys(MARKETS).join(', ')}`);
}

const chain = await startLocalChain({
  chain: values.chain as LocalSlug,
  dataDir: values.data,
  port: Number(values.port),
  seed: Number(values.seed),
  historyBlocks: Number(values.history),
  blockTimeMs: Number(values['block-time']),
  ...(values['history-end'] === undefined ? {} : { historyEnd: Number(values['history-end']) }),
  pace: Number(values.pace),
  quiet: values.quiet,
  reorgs: !values['no-reorgs'],
  onProgress: ({ phase, done, total }) => process.stderr.write(`${phase} ${done}/${total}\n`),
  onFailure: (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
});
// Before the line: who reads it may end this process at once.
let stopping = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    void chain.stop().then(() => process.exit(0));
  });
}

const { rpcUrl, wsUrl, chainId, genesisHash, resumed, nodePid } = chain;
process.stdout.write(`${JSON.stringify({ rpcUrl, wsUrl, chainId, genesisHash, resumed, nodePid })}\n`);
