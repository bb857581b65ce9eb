import { quantity } from '#libs/chain/chains/evm/quantity.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { Hex } from '#libs/core/ids.js';
import { readQuantity } from './fees.js';
import { isCall, judgePinned, type Simulator, STEP_GAS, type StepResult } from './simulation.js';

/** An unused address; its code is CALLDATALOAD BALANCE and a return of the word. */
const TELLER = `0x${'7e11e7'.padStart(40, '0')}`;
const TELLER_CODE = '0x6000353160005260206000f3';
const DATA = /^0x([0-9a-fA-F]{2})*$/;

/**
 * eth_simulateV1: the steps become the transactions of one block on top of the head, each with its own gas and refunds, as
 * they will be mined. Balances of the native coin are read by a five-instruction contract that exists in the simulation only.
 */
export const simulateV1: Simulator = {
  name: 'eth_simulateV1',
  async run(endpoint, sender, steps, head, signal) {
    const calls = steps.map((step) =>
      isCall(step)
        ? {
            from: `0x${sender}`,
            to: `0x${step.to}`,
            data: `0x${step.data}`,
            value: quantity(step.value),
            gas: quantity(STEP_GAS),
          }
        : { from: TELLER, to: TELLER, data: `0x${step.balanceOf.padStart(64, '0')}`, gas: quantity(100_000) },
    );
    // Later than its parent, as every block, and not before now: what a deadline will be compared with.
    const time = Math.max(head.time + 1, Math.floor(Date.now() / 1000));
    const block = {
      blockOverrides: { time: quantity(time) },
      stateOverrides: { [TELLER]: { code: TELLER_CODE } },
      calls,
    };
    const params = [{ blockStateCalls: [block], validation: false }, { blockHash: `0x${head.hash}` }];
    const answer = await endpoint.call<unknown>('eth_simulateV1', params, signal).catch(judgePinned);
    const results = (answer as { calls?: unknown }[] | null)?.[0]?.calls;
    if (!Array.isArray(results) || results.length !== steps.length) {
      throw endpoint.error('invalid', 'a simulation without the calls that were asked for');
    }
    return results.map((result) => readResult(endpoint, result));
  },
};

function readResult(endpoint: RpcEndpoint, result: Record<string, unknown>): StepResult {
  const gasUsed = readQuantity(result?.gasUsed);
  const status = readQuantity(result?.status);
  const failure = result?.error as { data?: unknown } | null | undefined;
  const returned = text(result?.returnData) ?? '';
  if (gasUsed === null || status === null) throw endpoint.error('invalid', 'a simulated call without status or gas');
  const ok = status === 1n;
  // Refunds are at most a fifth of what was used: five quarters of what is paid covers what was needed.
  const gasNeeded = readQuantity(result.maxUsedGas) ?? (gasUsed * 5n + 3n) / 4n;
  return { ok, data: ok ? returned : returned || (text(failure?.data) ?? ''), gasUsed, gasNeeded };
}

function text(value: unknown): Hex | null {
  return typeof value === 'string' && DATA.test(value) ? value.slice(2).toLowerCase() : null;
}
