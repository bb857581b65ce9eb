import type { Hex } from '#libs/core/ids.js';
import type { ChainEvent } from '#libs/protocol/blocks.js';
import type { RowOf } from '../keyed-form.js';
import { keyedProjection } from '../keyed-projection.js';
import { moneyOf } from '../money-tokens.js';
import { isBurnWallet, isZeroId } from '../token-amounts.js';

/** Who gave a wallet the money that it began with, and how many wallets it gave theirs. */
export type Funder = RowOf<typeof fields>;

const fields = {
  key: { wallet: 'id' },
  values: {
    /** Empty where none is known. */
    funder: 'id',
    /** 1 where it traded before the log had one: it gets none any more. */
    traded: 'uint8',
    /** One more than `MOST_FUNDED` for all that is above. */
    funded: 'uint32',
  },
} as const;

declare module '#libs/protocol/facts.js' {
  interface ChangedRows {
    funders?: Funder[];
  }
}

/** Who funds more wallets than this is a service, as an exchange: its wallets have nothing to do with each other. */
export const MOST_FUNDED = 100;

/**
 * A wallet's funder is who sent it its first coin or stable, in a transaction that does nothing with a pool and in no later block than
 * its first trade. It stays that.
 */
export const funders = keyedProjection<Funder>({
  name: 'funders',
  version: 1,
  member: 'funders',
  fields,
  fold({ trades }, rows, { group, reference }) {
    const isMoney = moneyOf(reference);
    let busy: Set<number> | undefined;
    for (const event of group.events) {
      if (event.kind !== 'transfer' || event.amount === 0n || !isMoney(event.token)) continue;
      const { tx, from, to } = event;
      busy ??= busyTxs(group.events);
      if (busy.has(tx) || from === to || isZeroId(from) || isZeroId(to) || isBurnWallet(to)) continue;
      const row = rows.get({ wallet: to });
      if (row.funder !== '' || row.traded === 1) continue;
      rows.set({ ...row, funder: from });
      const giver = rows.get({ wallet: from });
      if (giver.funded <= MOST_FUNDED) rows.set({ ...giver, funded: giver.funded + 1 });
    }
    for (const { wallet } of trades) {
      const row = rows.get({ wallet });
      if (row.funder === '' && row.traded === 0) rows.set({ ...row, traded: 1 });
    }
  },
});

function busyTxs(events: readonly ChainEvent[]): Set<number> {
  const busy = new Set<number>();
  let last = -1;
  for (const { kind, tx } of events) {
    if (kind === 'transfer' || tx === last) continue;
    last = tx;
    busy.add(tx);
  }
  return busy;
}

/** The wallets, each for all that it funded, whose group a wallet is in: its funder's and its own. */
export function groupsOf(wallet: Hex, rowOf: (wallet: Hex) => Funder): Hex[] {
  const own = rowOf(wallet);
  const groups: Hex[] = [];
  if (own.funder !== '' && isGroup(rowOf(own.funder))) groups.push(own.funder);
  if (isGroup(own)) groups.push(wallet);
  return groups;
}

const isGroup = ({ funded }: Funder): boolean => funded > 0 && funded <= MOST_FUNDED;
