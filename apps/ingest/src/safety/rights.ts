import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { Hex } from '#libs/core/ids.js';
import { argumentsTried, readsTried } from './calls-tried.js';
import { type EffectPlace, effectMoves, effectsOf, type Seen, seenIn } from './effects.js';
import { type Guard, isNobody, readGuards } from './guard.js';
import { namedRight, RIGHTS, type Right, STANDARD, TRADED } from './known-functions.js';
import { type Move, type MoveResult, supply as supplyOf, wordOf } from './moves.js';
import type { ProbeHead } from './probe-head.js';
import type { Trials } from './trials.js';

export interface RightsQuestion {
  readonly endpoint: RpcEndpoint;
  readonly trials: Trials;
  readonly head: ProbeHead;
  readonly signal?: AbortSignal | undefined;
  readonly place: EffectPlace;
  readonly supply: bigint;
  readonly selectors: ReadonlySet<Hex>;
  /** Constants of the code that may be accounts. */
  readonly constants: readonly Hex[];
  /** Null: the contract names none. */
  readonly owner: Hex | null;
}

/** What is known of one right, and the call that shows it. */
export interface RightFound {
  readonly value: boolean | null;
  readonly detail: string;
}

export interface RightsFound {
  readonly rights: Readonly<Record<Right, RightFound>>;
  /** Accounts other than the stated owner that were let through where others are not. */
  readonly others: readonly Hex[];
  /** Whether a function beyond the standards is left of which neither its running nor that it lets no caller through was shown. */
  readonly restricted: boolean;
}

/** How far one function was shown: it ran, no caller is let through, or neither. */
type Reach = 'ran' | 'closed' | 'unknown';

/** What no dispatcher compares with: it reaches the code that runs for every other call, where there is such. */
const OTHERWISE: Hex = 'f0e1d2c3';
const MOST_FUNCTIONS = 48;
const MOST_ACCOUNTS = 6;

interface Shown {
  readonly effects: Map<Right, string>;
  readonly reach: Map<Hex, Reach>;
  readonly others: Set<Hex>;
}

/**
 * Tries every function that changes something, whatever it is called, with arguments that fit many signatures, as the owner, as
 * anybody, and as those that its guard compares the caller with; and trades before and after. A right is there where trading or
 * supply differ afterwards. It is not there only where every function ran without such an effect, or lets no caller through.
 */
export async function findRights(question: RightsQuestion): Promise<RightsFound> {
  const { trials, place } = question;
  const [base] = await trials.run([effectMoves(place, null)]);
  if (!base) return nothingKnown('the trial did not come to its end');
  const before = seenIn(base, place);
  const functions = await writing(question);
  if (functions.length > MOST_FUNCTIONS) return nothingKnown(`${functions.length} functions are too many to try`);
  const shown: Shown = { effects: new Map(), reach: new Map(), others: new Set() };
  const anyone = trials.account();
  const { owner } = question;
  const first = owner === null || isNobody(owner) ? [anyone] : [owner, anyone];
  for (const caller of first) await tryAs(question, { before, shown, caller, functions });
  const open = functions.filter((selector) => shown.reach.get(selector) !== 'ran');
  await tryGuarded(question, { before, shown, anyone, open });
  return concluded(before, functions, shown);
}

/** Those that change something, and what runs for all other calls. */
async function writing({ trials, place, selectors, supply }: RightsQuestion): Promise<Hex[]> {
  const unknown = [...selectors, OTHERWISE].filter((selector) => !TRADED.has(selector));
  const reads = readsTried({ ...place, plenty: plentyOf(supply) });
  const moves = unknown.flatMap((selector) =>
    reads.map((args): Move => ({ from: null, to: place.token, data: selector + args })),
  );
  const [answers] = moves.length === 0 ? [[]] : await trials.run([moves]);
  if (!answers) return unknown;
  return unknown.filter((_, n) => !reads.some((_, k) => answers[n * reads.length + k]!.ok));
}

const plentyOf = (supply: bigint): bigint => supply * 2n + 1n;

interface Trying {
  readonly before: Seen;
  readonly shown: Shown;
  readonly caller: Hex;
  readonly functions: readonly Hex[];
  /** Calls as this account count for it: others are refused. */
  readonly hidden?: boolean;
}

async function tryAs(question: RightsQuestion, { before, shown, caller, functions, hidden }: Trying): Promise<void> {
  const { trials, place, owner } = question;
  const plenty = plentyOf(question.supply);
  const args = argumentsTried({ ...place, plenty });
  const calls = functions
    .filter((selector) => shown.reach.get(selector) !== 'ran')
    .flatMap((selector) =>
      args.map((data): [Hex, Move] => [selector, { from: caller, to: place.token, data: selector + data }]),
    );
  const results = await trials.run(calls.map(([, call]) => effectMoves(place, call)));
  results.forEach((result, n) => {
    if (result === null) return;
    const [selector] = calls[n]!;
    const seen = seenIn(result, place);
    if (!seen.called) return;
    shown.reach.set(selector, 'ran');
    if (hidden) shown.others.add(caller);
    const who = caller === owner ? 'its owner' : hidden ? `0x${caller}` : 'anybody';
    for (const right of effectsOf(before, seen, plenty)) {
      if (!shown.effects.has(right)) shown.effects.set(right, `0x${selector} called by ${who}`);
    }
  });
}

interface Guarded {
  readonly before: Seen;
  readonly shown: Shown;
  readonly anyone: Hex;
  readonly open: readonly Hex[];
}

/** What was refused to the owner and to anybody: who is let through follows from what the refusal read. */
async function tryGuarded(question: RightsQuestion, { before, shown, anyone, open }: Guarded): Promise<void> {
  if (open.length === 0) return;
  const { endpoint, head, signal, owner, place } = question;
  // The owner is let through the first check, so that what is read after it shows too.
  const from = owner === null || isNobody(owner) ? anyone : owner;
  const moves = open.map((selector): Move => ({ from, to: place.token, data: selector + '0'.repeat(6 * 64) }));
  const guards = await readGuards(endpoint, moves, head, signal);
  const named = new Set(guards.flatMap((guard) => guard?.accounts ?? []));
  const callers = [...new Set([...named, ...question.constants])].filter((id) => id !== owner).slice(0, MOST_ACCOUNTS);
  for (const caller of callers) await tryAs(question, { before, shown, caller, functions: open, hidden: true });
  const allTried = new Set([...named, ...question.constants]).size <= MOST_ACCOUNTS;
  const closed = (guard: Guard | null): boolean =>
    allTried && owner !== null && isNobody(owner) && guard?.closed === true;
  for (const [n, selector] of open.entries()) {
    if (shown.reach.get(selector) === 'ran') continue;
    if (closed(guards[n]!)) shown.reach.set(selector, 'closed');
    else if (await isHarmless(question, { before, selector, guard: guards[n]!, callers: [from, anyone] }))
      shown.reach.set(selector, 'ran');
    else shown.reach.set(selector, 'unknown');
  }
}

interface Locked {
  readonly before: Seen;
  readonly selector: Hex;
  readonly guard: Guard | null;
  readonly callers: readonly Hex[];
}

/** What can be called once, or is switched off: with its flags unset it runs, and trading after it is as it was. */
async function isHarmless(question: RightsQuestion, { before, selector, guard, callers }: Locked): Promise<boolean> {
  if (guard === null || guard.unlocked === null) return false;
  const { trials, place } = question;
  const plenty = plentyOf(question.supply);
  const args = argumentsTried({ ...place, plenty });
  const calls = [...new Set(callers)].flatMap((from) =>
    args.map((data): Move => ({ from, to: place.token, data: selector + data })),
  );
  const counted = (call: Move): Move[] => [supplyOf(place.token), call, supplyOf(place.token)];
  const results = await trials.run(
    calls.map((call) => [...counted(call), ...effectMoves(place, null)]),
    { account: place.token, slots: guard.unlocked },
  );
  const ran = results.filter((result): result is MoveResult[] => result?.[1]?.ok === true);
  const harmless = (result: MoveResult[]): boolean =>
    wordOf(result[2]!) === wordOf(result[0]!) && effectsOf(before, seenIn(result.slice(3), place), plenty).size === 0;
  return ran.length > 0 && ran.every(harmless);
}

/** Which effects could be seen at all. */
function observable(before: Seen): Readonly<Record<Right, boolean>> {
  const { holder, second } = before;
  const moves = holder.move !== null && second.move !== null;
  const sales = holder.sale !== null && second.sale !== null;
  const trades = second.buy !== null && (moves || sales);
  return { mint: true, pause: trades, blacklist: trades, tax: trades };
}

function concluded(before: Seen, functions: readonly Hex[], { effects, reach, others }: Shown): RightsFound {
  const seeable = observable(before);
  const beyond = functions.filter((selector) => !STANDARD.has(selector) && selector !== OTHERWISE);
  const unknown = beyond.filter((selector) => reach.get(selector) === 'unknown');
  const found = (right: Right): RightFound => {
    const detail = effects.get(right);
    if (detail !== undefined) return { value: true, detail };
    if (beyond.length === 0) return { value: false, detail: 'no function beyond the standards' };
    if (beyond.every((selector) => reach.get(selector) === 'closed')) {
      return { value: false, detail: 'every function beyond the standards lets no caller through' };
    }
    if (!seeable[right]) return { value: null, detail: 'accounts with code cannot trade it within one transaction' };
    // A function that is called like this right and showed nothing may need more than was tried.
    const named = functions.find((selector) => namedRight(selector) === right && reach.get(selector) !== 'closed');
    if (named !== undefined) return { value: null, detail: `0x${named} showed no effect` };
    const unreached = unknown.find((selector) => namedRight(selector) === null);
    if (unreached !== undefined) return { value: null, detail: `0x${unreached} could not be tried` };
    return { value: false, detail: 'no function has this effect' };
  };
  const rights = Object.fromEntries(RIGHTS.map((right) => [right, found(right)])) as Record<Right, RightFound>;
  return { rights, others: [...others], restricted: unknown.length > 0 };
}

export function nothingKnown(detail: string): RightsFound {
  const rights = Object.fromEntries(RIGHTS.map((right) => [right, { value: null, detail }]));
  return { rights: rights as Record<Right, RightFound>, others: [], restricted: true };
}
