import { parseArgs } from 'node:util';
import { MarketRunner } from './market-runner.js';

/**
 * Runs the local Solana market by itself: `node dist/libs/devkit/devnet/solana/market/local-solana-market-main.js --data DIR
 * [--port P]`. Prints lines of JSON: {progress} while it is made, then {ready}. SIGTERM or SIGINT stops it in order, and
 * with --attached so does the end of standard input, which comes with any death of the program that started it.
 */
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    port: { type: 'string' },
    seed: { type: 'string' },
    'slot-ms': { type: 'string', default: '1000' },
    history: { type: 'string' },
    'history-seconds': { type: 'string' },
    'history-end': { type: 'string' },
    pace: { type: 'string' },
    quiet: { type: 'boolean', default: false },
    'no-auto-slots': { type: 'boolean', default: false },
    'no-reorgs': { type: 'boolean', default: false },
    attached: { type: 'boolean', default: false },
  },
});
type NumberName = 'port' | 'seed' | 'slot-ms' | 'history' | 'history-seconds' | 'history-end' | 'pace';

/** Absent when it was not given. */
function number<Key extends string>(name: NumberName, key: Key, most: number): { [K in Key]?: number } {
  const text = values[name];
  if (text === undefined) return {};
  const value = Number(text);
  if (text.trim() && Number.isSafeInteger(value) && value >= 0 && value <= most) {
    return { [key]: value } as { [K in Key]?: number };
  }
  throw new RangeError(`--${name} is a whole number from 0 to ${most}`);
}

if (values.data === undefined) throw new RangeError('--data DIR is missing: the folder of the market');
const say = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

let runner: MarketRunner | null = null;
let stopping = false;
const stop = (): void => {
  if (stopping) return;
  stopping = true;
  // A market that is still being made leaves a folder that the next start makes again.
  if (runner === null) process.exit(0);
  void runner.chain.stop().then(() => process.exit(0));
};
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
if (values.attached) process.stdin.on('close', stop).on('end', stop).resume();

runner = await MarketRunner.start({
  dataDir: values.data,
  ...number('port', 'port', 65_534),
  ...number('seed', 'seed', Number.MAX_SAFE_INTEGER),
  ...number('slot-ms', 'slotMs', 3_600_000),
  ...number('history', 'historyBlocks', 1_000_000),
  ...number('history-seconds', 'historySeconds', 1_000_000_000),
  ...number('history-end', 'historyEnd', 100_000_000_000),
  ...number('pace', 'pace', 1_000),
  quiet: values.quiet,
  autoSlots: !values['no-auto-slots'],
  reorgs: !values['no-reorgs'],
  onProgress: (progress) => say({ progress }),
  onFailure: (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
});
const { keptBlocks } = runner;
const { rpcUrl, wsUrl, genesisHash, resumed, oldestHeight } = runner.chain;
say({ ready: { rpcUrl, wsUrl, genesisHash, resumed, oldestHeight, keptBlocks, ...runner.contents() } });
