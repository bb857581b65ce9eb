import type { Hex } from '#libs/core/ids.js';
import type { LaunchEvent } from '#libs/protocol/blocks.js';
import { holders } from '../holders/projection.js';
import type { RowOf } from '../keyed-form.js';
import { type FoldInput, type KeyedRows, keyedProjection } from '../keyed-projection.js';
import { isZeroId } from '../token-amounts.js';

/** How a token came into view: by its first mint, or by a launchpad. */
export const origins = ['unknown', 'minted', 'launched'] as const;
export const MINTED = origins.indexOf('minted');
export const LAUNCHED = origins.indexOf('launched');

/** Parts per million of a curve that is sold. */
const WHOLE_CURVE_PPM = 1_000_000;

export type TokenLaunch = RowOf<typeof fields>;

const fields = {
  key: { token: 'id' },
  values: {
    /** Index in `origins`. */
    origin: 'uint8',
    /** Name in the one list of launchpads; empty for a token that no launchpad named. */
    launchpad: 'word',
    /** Empty where the creation is not in view. Of a minted token the sender of the transaction with its first mint. */
    creator: 'id',
    /** Unix ms of the block of the creation; 0 where it is not in view. */
    createdAt: 'uint64',
    /** The pool that is the curve. */
    curve: 'id',
    progressPpm: 'uint32',
    graduated: 'uint8',
    graduatedAt: 'uint64',
    /** Where it trades from then on; empty until a step names it. */
    graduatedPool: 'id',
  },
} as const;

declare module '#libs/protocol/facts.js' {
  interface ChangedRows {
    launches?: TokenLaunch[];
  }
}

/**
 * Launch, creator and creation of each token. The first curve that is named for a token is its curve: steps of another one say
 * nothing of it. A stable and the chain's coin have no row.
 */
export const launches = keyedProjection<TokenLaunch>({
  name: 'launches',
  version: 1,
  member: 'launches',
  fewRows: true,
  fields,
  needs: [holders],
  fold(block, rows, input) {
    const { coin, stables, family } = input.reference;
    for (const event of input.group.events) {
      if (event.kind !== 'launch' || event.token === coin.token || stables.includes(event.token)) continue;
      const before = rows.get({ token: event.token });
      const after = stepped(before, event, block.time);
      if (after !== before) rows.set(after);
    }
    if (family === 'evm') addMinted(block.time, rows, input);
  },
  *touches({ events }) {
    for (const event of events) {
      if (event.kind === 'launch') yield { token: event.token };
      else if (event.kind === 'transfer' && isZeroId(event.from)) yield { token: event.token };
    }
  },
});

function stepped(row: TokenLaunch, event: LaunchEvent, time: number): TokenLaunch {
  const { launchpad, curve, step, party } = event;
  const first = row.origin !== LAUNCHED;
  if (!first && (row.launchpad !== launchpad || row.curve !== curve)) return row;
  // Who minted it first is not known to be its creator once a launchpad speaks of it.
  const unseen = { origin: LAUNCHED, launchpad, curve, creator: '', createdAt: 0 };
  const of: TokenLaunch = first ? { ...row, ...unseen } : row;
  if (step === 'created') return of.createdAt === 0 ? { ...of, creator: party ?? '', createdAt: time } : of;
  if (step === 'progress') {
    const progressPpm = Math.min(event.progressPpm, WHOLE_CURVE_PPM);
    return of.graduated === 1 ? of : { ...of, progressPpm };
  }
  const at = of.graduated === 1 ? of.graduatedAt : time;
  const graduatedPool = of.graduatedPool === '' ? (party ?? '') : of.graduatedPool;
  return { ...of, progressPpm: WHOLE_CURVE_PPM, graduated: 1, graduatedAt: at, graduatedPool };
}

/** Tokens whose first mint is in this block and that nothing is known of. */
function addMinted(time: number, rows: KeyedRows<TokenLaunch>, { group, reference, changes }: FoldInput): void {
  const first = new Set<Hex>();
  for (const { before, after } of changes(holders)) {
    if (before.minted === 0n && after.minted > 0n) first.add(after.token);
  }
  if (first.size === 0) return;
  for (const event of group.events) {
    if (event.kind !== 'transfer' || event.amount === 0n || !isZeroId(event.from) || !first.delete(event.token))
      continue;
    const { token } = event;
    if (token === reference.coin.token || reference.stables.includes(token)) continue;
    const row = rows.get({ token });
    if (row.origin !== 0) continue;
    rows.set({ ...row, origin: MINTED, creator: group.txs[event.tx]!.sender, createdAt: time });
  }
}
