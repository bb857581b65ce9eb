import type { GroupReader, GroupWriter } from '#libs/protocol/codec/group-frame.js';
import { poolTrustCode, poolTrustOf } from '#libs/protocol/codec/pool-trust.js';
import { readTicks, writeTicks } from '#libs/protocol/codec/registry-records.js';
import type { PoolStateFact } from '#libs/protocol/facts.js';

/** States of pools, one after the other. */
export function writePoolStates(out: GroupWriter, states: readonly PoolStateFact[]): void {
  out.varuint(states.length);
  for (const state of states) {
    out.id(state.pool);
    out.unsigned(state.reserve0);
    out.unsigned(state.reserve1);
    out.u8(poolTrustCode(state));
    out.u8(state.concentrated === null ? 0 : 1);
    if (state.concentrated === null) continue;
    out.unsigned(state.concentrated.sqrtPriceX96);
    out.varint(state.concentrated.tick);
    out.unsigned(state.concentrated.liquidity);
    out.u8(state.concentrated.ticksComplete ? 1 : 0);
    writeTicks(out, state.concentrated.ticks);
  }
}

export function readPoolStates(input: GroupReader): PoolStateFact[] {
  const states: PoolStateFact[] = [];
  for (let left = input.count(5); left > 0; left--) {
    const pool = input.id();
    const reserve0 = input.unsigned();
    const reserve1 = input.unsigned();
    const standing = poolTrustOf(input.u8()) ?? input.fail('unknown standing of a pool');
    const concentrated = input.flag() ? readConcentrated(input) : null;
    states.push({ pool, reserve0, reserve1, concentrated, ...standing });
  }
  return states;
}

function readConcentrated(input: GroupReader): PoolStateFact['concentrated'] {
  const sqrtPriceX96 = input.unsigned();
  const tick = input.varint();
  const liquidity = input.unsigned();
  const ticksComplete = input.flag();
  return { sqrtPriceX96, tick, liquidity, ticks: readTicks(input), ticksComplete };
}
