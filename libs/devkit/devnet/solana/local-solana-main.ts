import { parseArgs } from 'node:util';
import { startLocalSolana } from './local-solana.js';

/**
 * Runs the local Solana chain by itself: `node dist/libs/devkit/devnet/solana/local-solana-main.js [--data DIR] [--port P]`.
 * Prints one JSON line when it is ready; SIGTERM or SIGINT stops it in order, and with --attached so does the end of
 * standard input, which comes with any death of the program that started it.
 */
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    port: { type: 'string', default: '0' },
    seed: { type: 'string' },
    'slot-ms': { type: 'string', default: '400' },
    'skip-rate': { type: 'string', default: '0' },
    'fork-rate': { type: 'string', default: '0' },
    'no-auto-slots': { type: 'boolean', default: false },
    attached: { type: 'boolean', default: false },
  },
});

function number(name: 'port' | 'seed' | 'slot-ms' | 'skip-rate' | 'fork-rate', most: number): number {
  const value = Number(values[name]);
  if (values[name]?.trim() && value >= 0 && value <= most) return value;
  throw new RangeError(`--${name} is a number from 0 to ${most}`);
}

const chain = await startLocalSolana({
  ...(values.data === undefined ? {} : { dataDir: values.data }),
  ...(values.seed === undefined ? {} : { seed: number('seed', Number.MAX_SAFE_INTEGER) }),
  port: number('port', 65_534),
  slotMs: number('slot-ms', 3_600_000),
  skipRate: number('skip-rate', 1),
  forkRate: number('fork-rate', 1),
  autoSlots: !values['no-auto-slots'],
  onFailure: (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
});
// Before the line: who reads it may end this process at once.
let stopping = false;
const stop = (): void => {
  if (stopping) return;
  stopping = true;
  void chain.stop().then(() => process.exit(0));
};
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
if (values.attached) process.stdin.on('close', stop).on('end', stop).resume();

const { rpcUrl, wsUrl, genesisHash, resumed, faucet } = chain;
process.stdout.write(`${JSON.stringify({ rpcUrl, wsUrl, genesisHash, resumed, faucet })}\n`);
