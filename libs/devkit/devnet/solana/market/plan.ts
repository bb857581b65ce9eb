import { pictureUri } from '../../token-picture.js';

/**
 * What the local Solana market consists of. Prices and depths are where trading starts; traders move them. Symbols and
 * names of invented tokens belong to no real token; wrapped SOL, USDC and USDT have their own addresses.
 */
export interface PlannedToken {
  symbol: string;
  name: string;
  decimals: number;
  /** USD of one whole token at the start. */
  usd: number;
  /** Daily volatility of the price that traders take to be fair. */
  volatility: number;
  /** Fixed base58 address; without one the mint has a key of its own. */
  address?: string;
  /** Who may mint and freeze: the deployer, or no account. `later`: renounced in the middle of the history. */
  mintAuthority: 'kept' | 'renounced' | 'later';
  freezeAuthority: 'kept' | 'renounced';
  /** Token-2022, with its metadata in the mint; the AMM takes none of these. */
  token2022?: { transferFeeBps: number };
}

export interface PlannedPool {
  pair: [string, string];
  feeBps: number;
  /** USD on each side at the start. */
  depthUsd: number;
  /** How often it is traded, relative to the others. */
  weight: number;
}

const STABLE = { usd: 1, volatility: 0.0005, mintAuthority: 'kept', freezeAuthority: 'kept' } as const;
const FREE = { mintAuthority: 'renounced', freezeAuthority: 'renounced' } as const;

export const TOKENS: readonly PlannedToken[] = [
  {
    ...{ symbol: 'SOL', name: 'Wrapped SOL', decimals: 9, usd: 150, volatility: 0.045, ...FREE },
    address: 'So11111111111111111111111111111111111111112',
  },
  {
    ...{ symbol: 'USDC', name: 'USD Coin', decimals: 6, ...STABLE },
    address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v',
  },
  {
    ...{ symbol: 'USDT', name: 'USDT', decimals: 6, ...STABLE },
    address: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  },
  { symbol: 'CORM', name: 'Cormorant', decimals: 9, usd: 3.42, volatility: 0.09, ...FREE },
  { symbol: 'DRFT', name: 'Driftwood', decimals: 6, usd: 0.187, volatility: 0.12, ...FREE },
  {
    ...{ symbol: 'ESTU', name: 'Estuary', decimals: 8, usd: 61.5, volatility: 0.07 },
    ...{ mintAuthority: 'kept', freezeAuthority: 'kept' },
  },
  {
    ...{ symbol: 'FTHM', name: 'Fathom', decimals: 9, usd: 1.06, volatility: 0.1 },
    ...{ mintAuthority: 'kept', freezeAuthority: 'renounced' },
  },
  {
    ...{ symbol: 'GROY', name: 'Groyne', decimals: 6, usd: 0.0442, volatility: 0.16 },
    ...{ mintAuthority: 'later', freezeAuthority: 'renounced' },
  },
  { symbol: 'MUDL', name: 'Mudlark', decimals: 6, usd: 0.0000187, volatility: 0.34, ...FREE },
  {
    ...{ symbol: 'PTRL', name: 'Petrel', decimals: 9, usd: 12.9, volatility: 0.08 },
    ...{ mintAuthority: 'renounced', freezeAuthority: 'kept' },
  },
  { symbol: 'SALT', name: 'Saltmarsh', decimals: 7, usd: 0.73, volatility: 0.11, ...FREE },
  { symbol: 'SMPH', name: 'Samphire', decimals: 6, usd: 5.28, volatility: 0.09, ...FREE },
  {
    ...{ symbol: 'STRN', name: 'Strand', decimals: 6, usd: 0.0091, volatility: 0.21 },
    ...{ mintAuthority: 'kept', freezeAuthority: 'renounced' },
  },
  {
    ...{ symbol: 'WRCK', name: 'Tidewrack', decimals: 6, usd: 0.52, volatility: 0.1, ...FREE },
    token2022: { transferFeeBps: 0 },
  },
  {
    ...{ symbol: 'UTOW', name: 'Undertow', decimals: 9, usd: 2.2, volatility: 0.1 },
    ...{ mintAuthority: 'kept', freezeAuthority: 'kept' },
    token2022: { transferFeeBps: 100 },
  },
];

const pool = (a: string, b: string, feeBps: number, depthUsd: number, weight: number): PlannedPool => ({
  pair: [a, b],
  feeBps,
  depthUsd,
  weight,
});

export const POOLS: readonly PlannedPool[] = [
  pool('SOL', 'USDC', 25, 3_500_000, 16),
  pool('SOL', 'USDT', 30, 1_600_000, 8),
  pool('USDC', 'USDT', 2, 2_000_000, 3),
  pool('CORM', 'SOL', 25, 420_000, 5),
  pool('DRFT', 'SOL', 30, 240_000, 5),
  pool('ESTU', 'SOL', 25, 520_000, 3),
  pool('FTHM', 'SOL', 30, 180_000, 3),
  pool('GROY', 'SOL', 100, 120_000, 3),
  pool('MUDL', 'SOL', 100, 310_000, 8),
  pool('PTRL', 'SOL', 25, 260_000, 3),
  pool('SALT', 'USDC', 30, 150_000, 3),
  pool('SMPH', 'USDC', 25, 210_000, 3),
  pool('STRN', 'USDC', 100, 80_000, 3),
  pool('DRFT', 'USDC', 25, 110_000, 2),
  pool('CORM', 'FTHM', 30, 70_000, 1),
];

/** How the nth token of the launchpad is called and what its curve asks. */
export interface PlannedLaunch {
  name: string;
  symbol: string;
  uri: string;
  quote: 'SOL' | 'USDC';
  virtualQuote: bigint;
  feeBps: number;
  poolFeeBps: number;
  /** Chance that a trader at the curve buys. */
  demand: number;
}

const FIRST = ['Salty', 'Briny', 'Foggy', 'Lucky', 'Sleepy', 'Tiny', 'Grumpy', 'Golden', 'Windy', 'Rusty', 'Merry'];
const SECOND = [
  'Puffling',
  'Whelk',
  'Gull',
  'Crab',
  'Seal',
  'Urchin',
  'Heron',
  'Limpet',
  'Eel',
  'Prawn',
  'Skua',
  'Cod',
  'Newt',
];
const DEMAND = [0.86, 0.72, 0.93, 0.6, 0.8, 0.55, 0.9];

export function plannedLaunch(index: number): PlannedLaunch {
  const first = FIRST[(index * 7) % FIRST.length]!;
  const second = SECOND[(index * 5) % SECOND.length]!;
  const round = Math.floor(index / (FIRST.length * SECOND.length));
  const symbol = `${first.slice(0, 2)}${second.slice(0, 4)}${round === 0 ? '' : round}`.toUpperCase();
  const inUsdc = index % 5 === 3;
  return {
    name: `${first} ${second}${round === 0 ? '' : ` ${round}`}`,
    symbol,
    uri: pictureUri(symbol),
    quote: inUsdc ? 'USDC' : 'SOL',
    virtualQuote: inUsdc ? 4_500_000_000n : 30_000_000_000n,
    feeBps: 100,
    poolFeeBps: 25,
    demand: DEMAND[index % DEMAND.length]!,
  };
}
