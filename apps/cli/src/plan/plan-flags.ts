import { evmWayNames } from '#libs/chain/chains/evm/probe/evm-ways.js';
import { solanaWayNames } from '#libs/chain/chains/solana/probe/solana-ways.js';
import type { OptionSpec } from '../arguments.js';

/** As many questions at once as the sources of the families ask history with. */
export const PARALLEL = { evm: 6, solana: 16 } as const;
export const SECONDS = 60;
export const LEAST_SECONDS = 2;
export const MOST_SECONDS = 3_600;

export const planFlags: readonly OptionSpec[] = [
  { name: 'rpc', value: 'URL', about: 'the node (http or https)' },
  { name: 'ws', value: 'URL', about: 'where it announces blocks (ws or wss), to see whether it does' },
  { name: 'chain', value: 'CHAIN', about: 'the chain that it serves, by its name or id' },
  { name: 'from', value: 'N', about: 'the first block (on Solana slot) of the history' },
  { name: 'seconds', value: 'N', about: `how long to measure, about (${SECONDS})` },
  { name: 'parallel', value: 'N', about: `questions at once (${PARALLEL.evm}, on Solana ${PARALLEL.solana})` },
  {
    name: 'ways',
    value: 'LIST',
    about: `only these: ${evmWayNames.join(', ')}; on Solana ${solanaWayNames.join(', ')}`,
  },
  { name: 'price', value: 'LIST', about: 'USD: requests=… and units=… for a million, gb=…, month=…' },
  {
    name: 'units',
    value: 'LIST',
    about: 'compute units of methods: eth_getLogs=60,…; other=N for all that are not listed',
  },
];
