import { randomBytes } from 'node:crypto';
import { quantity } from '#libs/chain/chains/evm/quantity.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { type BundleStep, bundleCode, readReports } from '#libs/chain/chains/evm/simulation/bundle-code.js';
import { encodeAddress } from '#libs/chain/chains/evm/words.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { Hex } from '#libs/core/ids.js';
import type { Move, MoveResult } from './moves.js';
import { atHead, gasPrice, type ProbeHead, PURSE } from './probe-head.js';

/** What one move and one trial may burn, and all of one question: below what nodes allow. */
const MOVE_GAS = 1_000_000;
const TRIAL_GAS = 6_000_000;
const QUESTION_GAS = 30_000_000;
/** Trials of one question: a usual one takes about a million. */
const PER_QUESTION = 14;
/** What nodes say that pass over the third parameter, so that the sender has nothing, or that do not take one. */
const NO_OVERRIDES = /insufficient funds|too many arguments|expected \d (parameters|arguments)/i;

/** Slots of a contract that have other values than on the block. */
export interface OtherState {
  readonly account: Hex;
  readonly slots: Readonly<Record<string, string>>;
}

/**
 * Trials on the state of one block, each on that state alone, many in one eth_call with state overrides. A trial is a contract
 * that exists in the call only: it makes its moves and reverts with what it saw, so that the next one finds the state of the block.
 * Who moves something carries code that passes a call on, so that the token sees that address as msg.sender; to everybody else it
 * behaves as before.
 *
 * Limits: all of a trial is in one transaction of one block, its senders have code, and tx.origin is none of them. A token that
 * cares is seen by a trial in which nothing is done but the moves.
 */
export class Trials {
  private readonly fresh = new Set<Hex>();
  private readonly codes = new Map<Hex, Hex>();

  constructor(
    private readonly endpoint: RpcEndpoint,
    private readonly head: ProbeHead,
    private readonly signal?: AbortSignal,
  ) {}

  /** An account without a known key, which no token can know before it is asked. */
  account(): Hex {
    const made = randomBytes(20).toString('hex');
    this.fresh.add(made);
    return made;
  }

  /** Null: the trial did not come to its end. */
  async run(trials: readonly (readonly Move[])[], state: OtherState | null = null): Promise<(MoveResult[] | null)[]> {
    await this.learnCodes(trials.flat());
    const results: (MoveResult[] | null)[] = [];
    for (let at = 0; at < trials.length; at += PER_QUESTION) {
      results.push(...(await this.ask(trials.slice(at, at + PER_QUESTION), state)));
    }
    // A neighbour may have burnt the gas of those behind it.
    for (const [n, result] of results.entries()) {
      if (result === null && trials.length > 1) [results[n] = null] = await this.ask([trials[n]!], state);
    }
    return results;
  }

  /** What is at the addresses of those who move something, so that it stays there. */
  private async learnCodes(moves: readonly Move[]): Promise<void> {
    const senders = new Set(moves.flatMap(({ from }) => (from === null || this.fresh.has(from) ? [] : [from])));
    const unknown = [...senders].filter((id) => !this.codes.has(id));
    const calls = unknown.map((id) => ({ method: 'eth_getCode', params: [`0x${id}`, atHead(this.head)] }));
    const codes = await this.endpoint.all<unknown>(calls, this.signal);
    codes.forEach((code, n) => {
      this.codes.set(unknown[n]!, typeof code === 'string' ? code.slice(2).toLowerCase() : '');
    });
  }

  private async ask(trials: readonly (readonly Move[])[], state: OtherState | null): Promise<(MoveResult[] | null)[]> {
    const { endpoint, head, signal } = this;
    const conductor = randomBytes(20).toString('hex');
    const magic = randomBytes(32).toString('hex');
    const overrides: Record<string, { code?: string; balance?: string; stateDiff?: object }> = {};
    if (state !== null) overrides[`0x${state.account}`] = { stateDiff: state.slots };
    const place = (code: Hex, address: Hex = randomBytes(20).toString('hex')): Hex => {
      overrides[`0x${address}`] = { code: `0x${code}` };
      return address;
    };
    const senders = new Set(trials.flat().flatMap(({ from }) => (from === null ? [] : [from])));
    for (const sender of senders) {
      const code = this.codes.get(sender) ?? '';
      place(passOn(magic, code === '' ? null : place(code)), sender);
    }
    const calls = trials.map((moves) => {
      const steps = moves.map((move) => stepOf(move, magic));
      const to = place(bundleCode(steps, { stepGas: MOVE_GAS, caller: conductor, reverts: true }));
      return { to, data: '', value: 0n };
    });
    const self = `0x${conductor}`;
    overrides[self] = { code: `0x${bundleCode(calls, { stepGas: TRIAL_GAS })}`, balance: PURSE };
    const gas = { gas: quantity(QUESTION_GAS), gasPrice: gasPrice(head) };
    const question = { from: self, to: self, data: '0x', ...gas };
    const missing = (): RpcError =>
      new RpcError('method-missing', `${endpoint.label}: eth_call without state overrides`);
    const answer = await endpoint
      .call<unknown>('eth_call', [question, atHead(head), overrides], signal)
      .catch((error) => {
        throw error instanceof RpcError && NO_OVERRIDES.test(error.message) ? missing() : error;
      });
    const reports = typeof answer === 'string' ? readReports(answer.slice(2).toLowerCase(), trials.length) : null;
    // Nodes that do not know the third parameter run the sender without code: an empty answer.
    if (reports === null) throw missing();
    return reports.map(({ data }, n) => readReports(data, trials[n]!.length));
  }
}

function stepOf({ from, to, data }: Move, magic: Hex): BundleStep {
  if (from === null) return { to, data, value: 0n, reads: true };
  return { to: from, data: `${magic}${encodeAddress(to)}${data}`, value: 0n };
}

/** RETURNDATACOPY of all, then RETURN or REVERT by the flag on the stack; `at`: where this code starts. */
function answerOn(at: number): Hex {
  const copy = '3d600060003e';
  return `${copy}60${(at + copy.length / 2 + 7).toString(16).padStart(2, '0')}573d6000fd5b3d6000f3`;
}

/**
 * Code that passes on what follows a magic word and a target: its call data from the third word on goes to the target, what the
 * target answers comes back. Called without the magic word it is the code at `otherwise`, or none.
 */
function passOn(magic: Hex, otherwise: Hex | null): Hex {
  // CALLDATALOAD(0) EQ magic JUMPI; the other code runs by DELEGATECALL with all of the call data.
  const other = otherwise === null ? '00' : `3660006000376000600036600073${otherwise}5af4`;
  const length = (code: Hex): number => code.length / 2;
  const test = `7f${magic}60003514600057`;
  const before = otherwise === null ? other : `${other}${answerOn(length(test) + length(other))}`;
  const start = length(test) + length(before);
  const jump = test.replace(/600057$/, `60${start.toString(16).padStart(2, '0')}57`);
  // JUMPDEST; CALLDATACOPY from the third word on; CALL of the target in the second.
  const pass = '5b604036038060406000376000600082600060006020355af1';
  return `${jump}${before}${pass}${answerOn(start + length(pass))}`;
}
