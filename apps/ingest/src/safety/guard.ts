import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { ZERO_ADDRESS } from '#libs/chain/chains/evm/words.js';
import type { Hex } from '#libs/core/ids.js';
import { type Move, supply } from './moves.js';
import { atHead, type ProbeHead } from './probe-head.js';

/** What a refused call read before it was refused, so what decides who is let through. */
export interface Guard {
  /** Accounts that the slots name. */
  readonly accounts: readonly Hex[];
  /** Only slots of its own were read that name no account: it compares the caller with no account. */
  readonly closed: boolean;
  /**
   * The plain slots with nothing in them but the accounts: a call that is refused because of a flag, and not of its caller, goes
   * through with them. Null where others were read too.
   */
  readonly unlocked: Readonly<Record<string, string>> | null;
}

const DEAD = '000000000000000000000000000000000000dead';
export const isNobody = (id: Hex): boolean => id === ZERO_ADDRESS || id === DEAD;

/** Slots above are entries of mappings, where what is at another key is not seen; that of a known owner is none. */
const PLAIN_SLOTS = 1n << 64n;
const OWNER_SLOTS: ReadonlySet<Hex> = new Set([
  // ERC-7201 of OpenZeppelin's Ownable.
  '9016d09d72d40fdae2fd8ceac6b6234c7706214fd39c1cd1e609a0528c199300',
]);

interface Place {
  readonly account: Hex;
  readonly slot: Hex;
}
type Slots = readonly Place[];
const placeOf = ({ account, slot }: Place): string => `${account}.${slot}`;

/** Null: no node says what a call reads. */
export async function readGuards(
  endpoint: RpcEndpoint,
  moves: readonly Move[],
  head: ProbeHead,
  signal?: AbortSignal,
): Promise<(Guard | null)[]> {
  // What a read of the supply reads too, a proxy's target above all, says nothing of who is let through.
  const plainReads = [...new Set(moves.map(({ to }) => to))].map(
    (to): Move => ({ ...supply(to), from: moves[0]!.from }),
  );
  const all = await slotsRead(endpoint, [...plainReads, ...moves], head, signal);
  const usual = new Set(all.slice(0, plainReads.length).flatMap((slots) => (slots ?? []).map(placeOf)));
  const read = all
    .slice(plainReads.length)
    .map((slots) => slots?.filter((place) => !usual.has(placeOf(place))) ?? null);
  const asked = read.flatMap((slots) => slots ?? []);
  const values = await endpoint.all<unknown>(
    asked.map(({ account, slot }) => ({
      method: 'eth_getStorageAt',
      params: [`0x${account}`, `0x${slot}`, atHead(head)],
    })),
    signal,
  );
  const stored = new Map(asked.map((place, n) => [placeOf(place), hexOf(values[n])]));
  return read.map((slots, n) => {
    if (slots === null) return null;
    const accounts = slots.flatMap((place) => accountsIn(stored.get(placeOf(place)) ?? ''));
    const plain = slots.every(
      ({ account, slot }) => account === moves[n]!.to && (BigInt(`0x${slot}`) < PLAIN_SLOTS || OWNER_SLOTS.has(slot)),
    );
    const flags = slots.map((place) => [`0x${place.slot}`, `0x${accountAlone(stored.get(placeOf(place)) ?? '')}`]);
    return {
      accounts: [...new Set(accounts)],
      closed: plain && slots.length > 0 && accounts.length === 0,
      unlocked: plain && slots.length > 0 ? Object.fromEntries(flags) : null,
    };
  });
}

/** A slot without what is in it next to an account. */
function accountAlone(value: Hex): Hex {
  const [account] = accountsIn(value);
  const digits = value.padStart(64, '0');
  if (account === undefined) return '0'.repeat(64);
  const at = digits.lastIndexOf(account);
  return account.padStart(at + 40, '0').padEnd(64, '0');
}

/** What looks like an account in a slot, behind up to twelve bytes of smaller values: no account has so many zeros in a row. */
function accountsIn(value: Hex): Hex[] {
  const digits = value.padStart(64, '0');
  const found: Hex[] = [];
  for (let end = 64; end >= 40; end -= 2) {
    const account = digits.slice(end - 40, end);
    if (/0{12}/.test(account)) continue;
    found.push(account);
    break;
  }
  return found;
}

const hexOf = (value: unknown): Hex => (typeof value === 'string' ? value.slice(2).toLowerCase() : '');

/** An access list has them, of a refused call too; nodes that give none for it have traces. */
async function slotsRead(
  endpoint: RpcEndpoint,
  moves: readonly Move[],
  head: ProbeHead,
  signal?: AbortSignal,
): Promise<(Slots | null)[]> {
  const call = ({ from, to, data }: Move) => ({ from: `0x${from}`, to: `0x${to}`, data: `0x${data}` });
  const listed = await endpoint.batch(
    moves.map((move) => ({ method: 'eth_createAccessList', params: [call(move), atHead(head)] })),
    signal,
  );
  const lists = listed.map(({ result, error }) => (error ? null : slotsOfList(result)));
  const open = lists.flatMap((list, n) => (list === null ? [n] : []));
  const traced = await endpoint.batch(
    open.map((n) => ({
      method: 'debug_traceCall',
      params: [call(moves[n]!), atHead(head), { tracer: 'prestateTracer' }],
    })),
    signal,
  );
  traced.forEach(({ result, error }, at) => {
    lists[open[at]!] = error ? null : slotsOfTrace(result);
  });
  return lists;
}

function slotsOfList(answer: unknown): Slots | null {
  const list = (answer as { accessList?: unknown } | null)?.accessList;
  if (!Array.isArray(list)) return null;
  return list.flatMap(({ address, storageKeys }: { address: unknown; storageKeys: unknown }) =>
    (Array.isArray(storageKeys) ? storageKeys : []).map((slot) => ({ account: hexOf(address), slot: hexOf(slot) })),
  );
}

function slotsOfTrace(answer: unknown): Slots | null {
  if (typeof answer !== 'object' || answer === null) return null;
  return Object.entries(answer as Record<string, { storage?: Record<string, unknown> }>).flatMap(([address, state]) =>
    Object.keys(state.storage ?? {}).map((slot) => ({ account: hexOf(address), slot: hexOf(slot) })),
  );
}
