import { bytesOfHex, startsWith } from '#libs/chain/chains/solana/bytes.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { emittedEvents } from '#libs/chain/market-ports/solana/event-layout.js';
import { NO_LAUNCHES, type SolanaLaunch } from '#libs/chain/market-ports/solana/venue.js';
import { raisedAtEnd } from './curve.js';
import { LAUNCHLAB_CREATE, LAUNCHLAB_TRADE, launchlabReserves } from './events.js';

const EVENTS = [LAUNCHLAB_TRADE, LAUNCHLAB_CREATE];
const PPM = 1_000_000n;
/** Places of the token in the instructions that create a pool and in those that trade. */
const CREATED_MINT = 6;
const TRADED_MINT = 9;
/** The instructions that move a pool to AMM v4 and to CPMM, with the places of token, launch and new pool. */
const MIGRATIONS = [
  { instruction: bytesOfHex('cf52c091fecf91df'), token: 1, curve: 23, pool: 13 },
  { instruction: bytesOfHex('885cc8671cda908c'), token: 1, curve: 17, pool: 5 },
];

/**
 * Launches on Raydium LaunchLab: creation and trades by their events, graduation by the instruction that moves the funds to
 * a pool. Progress is the quote raised over what the curve raises in all, which its virtual reserves say. A failed
 * transaction launches nothing.
 */
export function launchlabLaunches(tx: SolanaTransaction, index: number): readonly SolanaLaunch[] {
  if (tx.failed) return NO_LAUNCHES;
  const instruction = tx.instructions[index]!;
  const migration = MIGRATIONS.find((each) => startsWith(instruction.data, 0, each.instruction));
  if (migration !== undefined) {
    const key = (nth: number): string => tx.accountKey(instruction, nth);
    return [{ step: 'graduated', token: key(migration.token), curve: key(migration.curve), pool: key(migration.pool) }];
  }
  return emittedEvents(tx, index, EVENTS).flatMap(({ layout, data }): readonly SolanaLaunch[] => {
    const curve = layout.field(data, 'pool_state') as string | undefined;
    if (curve === undefined) return NO_LAUNCHES;
    if (layout === LAUNCHLAB_TRADE) return progress(tx.accountKey(instruction, TRADED_MINT), curve, data);
    const creator = layout.field(data, 'creator') as string | undefined;
    const token = tx.accountKey(instruction, CREATED_MINT);
    return creator === undefined ? NO_LAUNCHES : [{ step: 'created', token, curve, creator }];
  });
}

function progress(token: string, curve: string, data: Uint8Array): readonly SolanaLaunch[] {
  const after = launchlabReserves(data);
  if (after === null) return NO_LAUNCHES;
  const target = raisedAtEnd(after);
  const done = !after.raising || target === 0n || after.realQuote >= target;
  return [{ step: 'progress', token, curve, progressPpm: done ? 1_000_000 : Number((after.realQuote * PPM) / target) }];
}
