import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { Hex } from '#libs/core/ids.js';
import type { Finding, TokenFindings, TokenSafetyRecord } from '#libs/protocol/token-safety.js';
import { cannotSimulate, simulateAhead } from './blocks-ahead.js';
import { readContract, type TokenContract } from './contract.js';
import { isNobody } from './guard.js';
import { balance, wordOf } from './moves.js';
import type { ProbeHead } from './probe-head.js';
import { findRights, nothingKnown, type RightFound, type RightsFound } from './rights.js';
import { type Moved, type Trading, type TradingPlace, taxBps, tryTrading } from './trading.js';
import { Trials } from './trials.js';

/** What holds the tokens of a pool, and whom its sellers approve; `spender` null: anyone will do. */
export interface ProbedPool {
  readonly pool: Hex;
  readonly holder: Hex;
  readonly spender: Hex | null;
}

export interface ProbeQuestion {
  readonly pools: readonly ProbedPool[];
  readonly head: ProbeHead;
  readonly signal?: AbortSignal | undefined;
  /** Whether a node will do that cannot simulate: what needs a simulation is null then, and says so. */
  readonly without?: boolean;
}

/** A record but when and how often it was looked at. */
export type TokenFound = Omit<TokenSafetyRecord, 'looks' | 'foundAt'>;

/** Of so little nothing can be sent on in parts. */
const LEAST_HELD = 1_000n;

/**
 * Finds out what can be shown of a token at one block of one node. Null: there is no contract. Throws RpcError where the node
 * fails, or cannot simulate.
 */
export async function probeToken(
  endpoint: RpcEndpoint,
  token: Hex,
  { pools, head, signal, without = false }: ProbeQuestion,
): Promise<TokenFound | null> {
  const contract = await readContract(endpoint, token, head, signal);
  if (contract === null) return null;
  const { owner } = contract;
  const trials = new Trials(endpoint, head, signal);
  const found = { height: head.height, hash: head.hash, time: head.time, owner };
  let deepest: DeepestPool | null = null;
  try {
    deepest = await deepestOf(trials, token, pools);
    const probed = await simulated({ endpoint, trials, token, contract, head, signal, deepest });
    return { ...found, pool: deepest?.pool ?? null, findings: findingsOf(contract, ...probed) };
  } catch (error) {
    if (!without || !cannotSimulate(error)) throw error;
    const why = 'the node takes no state overrides';
    const findings = findingsOf(contract, { trading: null, plain: false, why }, nothingKnown(why));
    return { ...found, pool: deepest?.pool ?? null, findings };
  }
}

interface DeepestPool extends ProbedPool {
  readonly holding: bigint;
}

/** The pool that has the most of the token; null where none has enough. */
async function deepestOf(trials: Trials, token: Hex, pools: readonly ProbedPool[]): Promise<DeepestPool | null> {
  const [held] = pools.length === 0 ? [[]] : await trials.run([pools.map(({ holder }) => balance(token, holder))]);
  const all = pools.map((pool, n) => ({ ...pool, holding: held?.[n] ? (wordOf(held[n]) ?? 0n) : 0n }));
  all.sort((a, b) => (a.holding > b.holding ? -1 : a.holding < b.holding ? 1 : 0));
  return all[0] !== undefined && all[0].holding >= LEAST_HELD ? all[0] : null;
}

interface Tried {
  readonly trading: Trading | null;
  /** Whether plain accounts traded, in blocks of their own. */
  readonly plain: boolean;
  /** Why nothing was tried. */
  readonly why: string;
}

interface Probing {
  readonly endpoint: RpcEndpoint;
  readonly trials: Trials;
  readonly token: Hex;
  readonly contract: TokenContract;
  readonly head: ProbeHead;
  readonly signal: AbortSignal | undefined;
  readonly deepest: DeepestPool | null;
}

async function simulated(probing: Probing): Promise<[Tried, RightsFound]> {
  const { endpoint, trials, token, contract, head, signal, deepest } = probing;
  if (deepest === null) {
    const why = 'no pool holds any of it';
    return [{ trading: null, plain: false, why }, nothingKnown(why)];
  }
  const spender = deepest.spender ?? trials.account();
  const place = { token, pool: deepest.holder, holding: deepest.holding, spender, account: () => trials.account() };
  const plain = (blocks: Parameters<TradingPlace['simulate']>[0]) =>
    simulateAhead(endpoint, blocks, { head, pool: deepest.holder, signal });
  const inOne = async (blocks: Parameters<TradingPlace['simulate']>[0]) =>
    (await trials.run([blocks.flatMap(({ moves }) => moves)]))[0] ?? null;
  let trading = await tryTrading({ ...place, simulate: plain, plain: true });
  const offered = trading !== null;
  trading ??= await tryTrading({ ...place, simulate: inOne, plain: false });
  const tried = { trading, plain: offered, why: 'the trial did not come to its end' };
  const bought = trading?.buy;
  const { selectors, addresses } = contract.code;
  if (selectors === null) return [tried, nothingKnown('its code is not of a known form')];
  if (!bought) return [tried, nothingKnown(tried.why)];
  const accounts = { holder: trials.account(), second: trials.account(), other: trials.account() };
  const rights = await findRights({
    ...{ endpoint, trials, head, signal, selectors, supply: contract.supply, owner: contract.owner },
    constants: addresses.filter((id) => id !== spender && id !== deepest.holder && id !== token),
    place: {
      ...{ token, pool: deepest.holder, spender, ...accounts, receiver: trials.account() },
      ...{ bought: bought.sent, part: (bought.arrived || bought.sent) / 5n },
    },
  });
  return [tried, rights];
}

const shown = <T>(value: T, detail: string): Finding<T> => ({ value, basis: 'simulation', detail });
const open = (detail: string): Finding<never> => ({ value: null, basis: null, detail });

function findingsOf(contract: TokenContract, tried: Tried, { rights, others, restricted }: RightsFound): TokenFindings {
  const right = ({ value, detail }: RightFound): Finding<boolean> =>
    value === null ? open(detail) : { value, basis: 'simulation', detail };
  return {
    ...tradingFindings(tried),
    mintable: right(rights.mint),
    pausable: right(rights.pause),
    blacklist: right(rights.blacklist),
    taxChangeable: right(rights.tax),
    proxy: proxyOf(contract),
    renounced: renouncedOf(contract, others, restricted),
  };
}

type TradingFindings = Pick<
  TokenFindings,
  'buyable' | 'sellable' | 'transferable' | 'buyTaxBps' | 'sellTaxBps' | 'transferTaxBps'
>;

function tradingFindings({ trading, plain, why }: Tried): TradingFindings {
  const none = open(why);
  if (trading === null) {
    return {
      ...{ buyable: none, sellable: none, transferable: none },
      ...{ buyTaxBps: none, sellTaxBps: none, transferTaxBps: none },
    };
  }
  const { buy, move, sale, saleAfter } = trading;
  // An account with code, in one transaction, may be refused where a plain one is not.
  const went = (moved: Moved | null, yes: string, no: string): Finding<boolean> => {
    if (moved === null) return open('it could not be bought first');
    if (moved.arrived !== null && moved.arrived > 0n) return shown(true, yes);
    return plain ? shown(false, no) : open('refused to an account with code; this node simulates no plain ones');
  };
  const tax = (moved: Moved | null): Finding<number> => {
    const bps = moved === null ? null : taxBps(moved);
    return bps === null ? open('nothing arrived to measure') : shown(bps, 'what arrived of what was sent');
  };
  return {
    buyable: went(buy, 'the deepest pool paid an account', 'the deepest pool cannot pay an account'),
    sellable: went(sale, `sold to the deepest pool (${saleAfter})`, 'the deepest pool gets nothing from who bought'),
    transferable: went(move, 'an account that bought paid another', 'an account that bought cannot pay another'),
    ...{ buyTaxBps: tax(buy), sellTaxBps: tax(sale), transferTaxBps: tax(move) },
  };
}

function proxyOf({ behind, code }: TokenContract): Finding<boolean> {
  if (behind !== null) {
    const basis = behind.place.startsWith('slot') ? 'storage' : 'code';
    return { value: true, basis, detail: `${behind.place}: runs 0x${behind.target}` };
  }
  if (code.delegates) return open('it may run code of others, but none is written where proxies write it');
  return { value: false, basis: 'code', detail: 'runs no code but its own' };
}

/** Of a contract without an owner, nothing that it has may be reserved to anyone. */
function renouncedOf({ owner }: TokenContract, others: readonly Hex[], restricted: boolean): Finding<boolean> {
  if (others.length > 0) return shown(false, `0x${others[0]} may do what others may not`);
  if (owner !== null && !isNobody(owner)) return { value: false, basis: 'storage', detail: `owner() is 0x${owner}` };
  if (restricted) return open('functions are left that may be reserved to someone');
  const detail = owner === null ? 'no function beyond the standards' : `owner() is 0x${owner}`;
  return { value: true, basis: owner === null ? 'code' : 'storage', detail };
}
