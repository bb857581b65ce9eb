import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { Hex } from '#libs/core/ids.js';
import { minimalTarget, PROXY_SLOTS, type ReadCode, readCode } from './code.js';
import { isNobody } from './guard.js';
import { atHead, type ProbeHead } from './probe-head.js';

/** What a token is before anything is run: its code, what it runs of others, who owns it. */
export interface TokenContract {
  /** Of what runs in the end. */
  readonly code: ReadCode;
  /** What it hands every call to, and where that is written; null: it runs its own code. */
  readonly behind: { readonly target: Hex; readonly place: string } | null;
  /** Null: it names none. */
  readonly owner: Hex | null;
  readonly supply: bigint;
}

const OWNER = '8da5cb5b';
const GET_OWNER = '893d20e8';
const TOTAL_SUPPLY = '18160ddd';
const IMPLEMENTATION = '5c60da1b';

/** Null: there is no contract. */
export async function readContract(
  endpoint: RpcEndpoint,
  token: Hex,
  head: ProbeHead,
  signal?: AbortSignal,
): Promise<TokenContract | null> {
  const codeOf = (id: Hex) => ({ method: 'eth_getCode', params: [`0x${id}`, atHead(head)] });
  const call = (id: Hex, data: Hex) => ({
    ...{ method: 'eth_call', params: [{ to: `0x${id}`, data: `0x${data}` }, atHead(head)] },
  });
  const slots = Object.entries(PROXY_SLOTS);
  const [own, owner, otherOwner, supply, ...stored] = await answersOf(
    endpoint,
    [
      codeOf(token),
      ...[OWNER, GET_OWNER, TOTAL_SUPPLY].map((data) => call(token, data)),
      ...slots.map(([, slot]) => ({ method: 'eth_getStorageAt', params: [`0x${token}`, `0x${slot}`, atHead(head)] })),
    ],
    signal,
  );
  if (!own) return null;
  let behind: TokenContract['behind'] = null;
  const minimal = minimalTarget(own);
  if (minimal !== null) behind = { target: minimal, place: 'a minimal proxy' };
  for (const [n, [name, slot]] of slots.entries()) {
    const target = accountIn(stored[n]);
    if (behind !== null || target === null) continue;
    behind = { target, place: `slot ${name} 0x${slot}` };
    if (name !== 'beacon') continue;
    const [answer] = await answersOf(endpoint, [call(target, IMPLEMENTATION)], signal);
    behind = { target: accountIn(answer) ?? target, place: behind.place };
  }
  const [code = ''] = behind === null ? [own] : await answersOf(endpoint, [codeOf(behind.target)], signal);
  return {
    code: readCode(code ?? ''),
    behind,
    owner: accountIn(owner) ?? zeroIn(owner) ?? accountIn(otherOwner) ?? zeroIn(otherOwner),
    supply: supply !== null && supply !== undefined && supply.length === 64 ? BigInt(`0x${supply}`) : 0n,
  };
}

const accountIn = (word: Hex | null | undefined): Hex | null =>
  word?.length === 64 && /^0{24}/.test(word) && !/^0+$/.test(word) ? word.slice(24) : null;

/** An answer that names no owner. */
const zeroIn = (word: Hex | null | undefined): Hex | null =>
  word?.length === 64 && isNobody(word.slice(24)) ? word.slice(24) : null;

/** Without prefix; null where the node says that the call reverts. */
async function answersOf(
  endpoint: RpcEndpoint,
  calls: Parameters<RpcEndpoint['batch']>[0],
  signal?: AbortSignal,
): Promise<(Hex | null)[]> {
  const answers = await endpoint.batch(calls, signal);
  return answers.map(({ result, error }) => {
    if (error && error.kind !== 'reverted') throw error;
    return error || typeof result !== 'string' ? null : result.slice(2).toLowerCase();
  });
}
