import { bundleCode, readReports } from '#libs/chain/chains/evm/simulation/bundle-code.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { Hex } from '#libs/core/ids.js';
import { isCall, judgePinned, type Simulator, STEP_GAS } from './simulation.js';

/** Accounts and slots that an earlier step has warmed, an allowance that this very transaction has set, a first write of an oracle. */
const SHARED_GAS = 60_000n;
const BASE_GAS = 21_000n;

/**
 * For nodes without eth_simulateV1: one eth_call in which the sender's address carries code that makes the calls itself.
 * State, order, msg.sender, tx.origin and balances are those of the real sequence. Limits, which follow from that:
 * - a contract that treats senders with code differently (a token that bars contracts, ERC-777 hooks, a smart wallet's own
 *   receive function) may answer otherwise than to the real transactions; the caller has the first transaction of a sequence
 *   estimated on the untouched state as well, so that a single transaction is always judged as what it is;
 * - the steps share one transaction: what an earlier step touched is cheap for the later ones. A flat allowance per step
 *   makes up for that, and gas that comes back as a refund is not known: `gasUsed` is an upper figure;
 * - the block's time is the head's own, so that a deadline is never late.
 */
export const simulateCall: Simulator = {
  name: 'eth_call',
  async run(endpoint, sender, steps, head, signal) {
    const self = `0x${sender}`;
    const overrides = { [self]: { code: `0x${bundleCode(steps, { stepGas: STEP_GAS })}` } };
    const params = [{ from: self, to: self, data: '0x' }, { blockHash: `0x${head.hash}` }, overrides];
    const answer = await endpoint.call<unknown>('eth_call', params, signal).catch(judgePinned);
    const reports = typeof answer === 'string' ? readReports(answer.slice(2).toLowerCase(), steps.length) : null;
    // Nodes that do not know the third parameter run the sender without code: an empty answer.
    if (reports === null) throw new RpcError('method-missing', `${endpoint.label}: eth_call without state overrides`);
    return reports.map(({ ok, gas, data }, n) => {
      const step = steps[n]!;
      const gasUsed = isCall(step) ? gas + BASE_GAS + dataGas(step.data) : 0n;
      return { ok, data, gasUsed, gasNeeded: gasUsed + SHARED_GAS };
    });
  },
};

/** 4 gas for a zero byte, 16 for any other. */
function dataGas(data: Hex): bigint {
  let gas = 0;
  for (let i = 0; i < data.length; i += 2) gas += data.startsWith('00', i) ? 4 : 16;
  return BigInt(gas);
}
