import type { Hex } from '#libs/core/ids.js';
import { keyedFolds } from '#libs/pipeline/projections/registry.js';
import type { KeyedState } from '#libs/pipeline/state/keyed-state.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import type { FoldParts } from './fold-parts.js';
import {
  guardSpace,
  guardsPrefix,
  poolSpace,
  tickSpace,
  ticksOf,
  tokenPoolSpace,
  tokenPoolsPrefix,
  tokenSpace,
} from './fold-spaces.js';

/**
 * Brings from disk what some groups are about to touch: their pools, then the tokens, ticks and guards of these. Only a hint:
 * whatever it does not think of is read when it is needed. It waits for the disk outside of the event loop.
 */
export async function readAhead(groups: readonly BlocksGroup[], { table, store }: FoldParts): Promise<void> {
  const pools = new Set<Hex>();
  const fresh = new Set<Hex>();
  const tokens = new Set<Hex>();
  const want = (token: Hex): void => {
    if (!table.tokens.has(token)) tokens.add(token);
  };
  for (const group of groups) {
    if (group.kind !== 'block') continue;
    for (const { pool, token0, token1 } of group.pools) {
      fresh.add(pool);
      want(token0);
      want(token1);
    }
    for (const event of group.events) {
      const pool = 'pool' in event ? event.pool : null;
      if (pool !== null && !table.pools.has(pool) && !fresh.has(pool)) pools.add(pool);
    }
    for (const { pool } of group.anchors) if (!table.pools.has(pool) && !fresh.has(pool)) pools.add(pool);
  }
  const { state } = store;
  const keyed = warmKeyed(groups, state);
  if (pools.size === 0 && tokens.size === 0) return keyed;
  const ids = [...pools];
  await state.warm(poolSpace, ids);
  for (const id of ids) {
    const record = store.pools.get(id)?.record;
    if (record === undefined) continue;
    want(record.token0);
    want(record.token1);
  }
  const wanted = [...tokens];
  await Promise.all([
    keyed,
    state.warm(
      tickSpace,
      ids.map((id) => ticksOf(id).from),
    ),
    state.warm(tokenSpace, wanted),
    state.warm(
      tokenPoolSpace,
      wanted.flatMap((id) => [tokenPoolsPrefix(id, 0), tokenPoolsPrefix(id, 1)]),
    ),
    state.warm(
      guardSpace,
      wanted.map((id) => guardsPrefix(id, 0)),
    ),
  ]);
}

async function warmKeyed(groups: readonly BlocksGroup[], state: KeyedState): Promise<void> {
  if (state.isSmall) return;
  const reads = keyedFolds.map(({ space, touches }) => {
    const keys = new Set<Hex>();
    for (const group of groups) if (group.kind === 'block') for (const key of touches(group)) keys.add(key);
    return keys.size === 0 ? undefined : state.warm(space, [...keys]);
  });
  await Promise.all(reads);
}
