import type { Safety, TokenBody } from '#libs/serve/contract/rest/token-body.js';
import { compactUsd, shortId, UNKNOWN, usd } from '../format/numbers.js';
import { longSpan, shortSpan } from '../format/times.js';

/**
 * What is known of a token's safety, line by line: what it is, whether it is good, and what it rests on. A danger is what is so
 * now, a warning what could be done. Invariant: what was not shown either way is unknown, never good.
 */
export type SafetyState = 'good' | 'warning' | 'danger' | 'unknown';

export interface SafetyLine {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly state: SafetyState;
  /** What it rests on. */
  readonly basis: string;
}

/** From these shares of the supply on a holding is worth a warning, and is a danger. */
const SHARES = {
  top10Percent: [30, 60],
  creatorPercent: [5, 20],
  sniperPercent: [10, 25],
  bundlerPercent: [10, 25],
  insiderPercent: [10, 25],
} as const;
/** Burnt liquidity: from here on it cannot be taken away; below the other nearly all can. */
const [BURNT, HARDLY_BURNT] = [95, 5];
/** What a token takes of a trade, in per cent: more than the second is a danger. */
const [SOME_TAX, MUCH_TAX] = [1, 10];
const DAY = 86_400_000;

type Flag = 'buyable' | 'sellable' | 'transferable' | 'mintable' | 'pausable' | 'blacklist' | 'taxChangeable' | 'proxy';

export function safetyLines(token: TokenBody, now: number): readonly SafetyLine[] {
  const { safety } = token;
  const onEvm = token.address.startsWith('0x');
  return [
    ...(onEvm ? tradingOf(safety) : []),
    taxLine(safety, onEvm),
    ...(onEvm ? evmRights(safety) : mintRights(safety)),
    ...shareLines(safety),
    burntLine(safety, onEvm),
    exitLine(token),
    ageLine(token, now),
    ...launchLine(token),
  ];
}

const RANK: readonly SafetyState[] = ['danger', 'warning', 'unknown', 'good'];

/** The worst lines first, as many as there are of each state. */
export const worstFirst = (lines: readonly SafetyLine[]): readonly SafetyLine[] =>
  [...lines].sort((a, b) => RANK.indexOf(a.state) - RANK.indexOf(b.state));

export const countOf = (lines: readonly SafetyLine[], state: SafetyState): number =>
  lines.filter((line) => line.state === state).length;

/** What a flag of an EVM token rests on. */
function basisOf({ checked }: Safety, finding: string): string {
  if (checked === null) return 'Not looked at yet';
  const found = checked.findings.find((each) => each.finding === finding);
  if (found === undefined) return `Block ${checked.block}`;
  return found.basis === null ? `Not shown: ${found.detail}` : `By ${found.basis}: ${found.detail}`;
}

/** `good`: the answer that speaks for the token; `bad`: how much the other one speaks against it. */
function flagLine(
  safety: Safety,
  [id, name]: readonly [Flag, string],
  words: readonly [yes: string, no: string],
  good: boolean,
  bad: SafetyState,
): SafetyLine {
  const value = safety[id];
  const basis = basisOf(safety, id);
  if (value === null) return { id, name, value: 'Unknown', state: 'unknown', basis };
  return { id, name, value: value ? words[0] : words[1], state: value === good ? 'good' : bad, basis };
}

const tradingOf = (safety: Safety): SafetyLine[] => [
  flagLine(safety, ['sellable', 'Sale'], ['Can be sold', 'Cannot be sold'], true, 'danger'),
  flagLine(safety, ['buyable', 'Purchase'], ['Can be bought', 'Cannot be bought'], true, 'danger'),
  flagLine(safety, ['transferable', 'Transfer'], ['Can be sent', 'Cannot be sent'], true, 'danger'),
];

function evmRights(safety: Safety): SafetyLine[] {
  const { owner, renounced } = safety;
  return [
    flagLine(safety, ['mintable', 'Mint right'], ['More can be minted', 'Supply is fixed'], false, 'warning'),
    flagLine(
      safety,
      ['blacklist', 'Freeze right'],
      ['One account can be stopped', 'Nobody can be stopped'],
      false,
      'warning',
    ),
    flagLine(safety, ['pausable', 'Pause right'], ['Trading can be stopped', 'Cannot be stopped'], false, 'warning'),
    flagLine(safety, ['taxChangeable', 'Tax right'], ['Taxes can change', 'Taxes are fixed'], false, 'warning'),
    flagLine(safety, ['proxy', 'Proxy'], ['Runs code that may change', 'Runs its own code'], false, 'warning'),
    {
      ...{ id: 'renounced', name: 'Owner' },
      value: renounced === null ? 'Unknown' : renounced ? 'None' : owner === null ? 'Has one' : shortId(owner),
      state: renounced === null ? 'unknown' : renounced ? 'good' : 'warning',
      basis: basisOf(safety, 'renounced'),
    },
  ];
}

/** On Solana the mint account names who may do what. */
function mintRights({ mintable, freezable, renounced }: Safety): SafetyLine[] {
  const line = (id: string, name: string, value: boolean | null, words: readonly [string, string]): SafetyLine => ({
    ...{ id, name, basis: 'Authorities of the mint account' },
    value: value === null ? 'Unknown' : value ? words[0] : words[1],
    state: value === null ? 'unknown' : value ? 'warning' : 'good',
  });
  return [
    line('mintable', 'Mint right', mintable, ['More can be minted', 'Supply is fixed']),
    line('freezable', 'Freeze right', freezable, ['Balances can be frozen', 'Nobody can freeze']),
    {
      ...{ id: 'renounced', name: 'Rights', basis: 'Authorities of mint and metadata' },
      value: renounced === null ? 'Unknown' : renounced ? 'Renounced' : 'Kept by somebody',
      state: renounced === null ? 'unknown' : renounced ? 'good' : 'warning',
    },
  ];
}

const share = (value: number | null): string => (value === null ? UNKNOWN : `${value.toFixed(value < 10 ? 2 : 1)}%`);

function taxLine(safety: Safety, onEvm: boolean): SafetyLine {
  const { buyTaxPercent: buy, sellTaxPercent: sell, transferTaxPercent: transfer } = safety;
  const known = [buy, sell, transfer].filter((tax) => tax !== null);
  const most = known.length === 0 ? null : Math.max(...known);
  const basis = onEvm ? basisOf(safety, 'sellTaxBps') : 'Fee of the mint account on transfers';
  const value = most === 0 && sell === 0 ? 'None' : `${share(buy)} buy, ${share(sell)} sell`;
  const state: SafetyState =
    most === null || sell === null ? 'unknown' : most > MUCH_TAX ? 'danger' : most >= SOME_TAX ? 'warning' : 'good';
  return { id: 'tax', name: 'Taxes', value: most === null ? 'Unknown' : value, state, basis };
}

function shareLines(safety: Safety): SafetyLine[] {
  const names = [
    ['top10Percent', 'Top ten holders', 'Balances of every transfer, without pools, curves and burn addresses'],
    ['creatorPercent', 'Creator', 'Balance of the wallet that created it'],
    ['sniperPercent', 'Snipers', 'Held now by wallets that bought within three blocks of the first trade'],
    ['bundlerPercent', 'Bundlers', 'Held now by wallets that bought side by side then'],
    ['insiderPercent', 'Insiders', 'Held now by wallets that got it from the creator'],
  ] as const;
  return names.map(([id, name, basis]) => {
    const value = safety[id];
    if (value === null) {
      return { id, name, value: 'Unknown', state: 'unknown', basis: 'Its first transfers or trades are not in view' };
    }
    const [some, much] = SHARES[id];
    return {
      id,
      name,
      value: share(value),
      state: value >= much ? 'danger' : value >= some ? 'warning' : 'good',
      basis,
    };
  });
}

function burntLine({ lpBurntPercent: burnt }: Safety, onEvm: boolean): SafetyLine {
  const basis = onEvm
    ? burnt === null
      ? 'Known of V2 pairs alone'
      : 'Shares of the pool that sets the price, held by burn addresses'
    : 'Not measured on this chain';
  const state = burnt === null ? 'unknown' : burnt >= BURNT ? 'good' : burnt < HARDLY_BURNT ? 'danger' : 'warning';
  return {
    id: 'lpBurntPercent',
    name: 'Liquidity burnt',
    value: burnt === null ? 'Unknown' : share(burnt),
    state,
    basis,
  };
}

/** How the price is backed, as docs/prices.md has it. */
export function exitBasis({ depthUsd }: Pick<TokenBody, 'depthUsd'>): string {
  if (depthUsd === null) return 'What its pools would pay for it is not known';
  return `Sales of ${usd(depthUsd.percent2)} move the price by 2%, of ${usd(depthUsd.percent10)} by 10%`;
}

/** Below this the price says nothing: docs/prices.md calls it thin. */
const THIN_USD = 500;

function exitLine(token: TokenBody): SafetyLine {
  const { priceBasis, exitUsd } = token;
  const value = exitUsd === null ? 'Unknown' : `${compactUsd(exitUsd)} could be taken out`;
  const line = (state: SafetyState): SafetyLine => ({
    id: 'exit',
    name: 'Exit value',
    value,
    state,
    basis: exitBasis(token),
  });
  if (priceBasis === 'curve') return line('warning');
  if (exitUsd !== null) return line(exitUsd < THIN_USD ? 'danger' : 'good');
  return priceBasis === 'deep' ? { ...line('good'), value: 'Deep' } : line('unknown');
}

function ageLine({ createdAt }: TokenBody, now: number): SafetyLine {
  if (createdAt === null) {
    const basis = 'Created before the first indexed block';
    return { id: 'age', name: 'Age', value: 'Older than the index', state: 'unknown', basis };
  }
  const age = now - createdAt;
  const state = age < DAY ? 'warning' : 'good';
  return { id: 'age', name: 'Age', value: longSpan(age), state, basis: `Block that created it, ${shortSpan(age)} ago` };
}

function launchLine({ launchpad }: TokenBody): SafetyLine[] {
  if (launchpad === null) return [];
  const { name, graduated, progressPercent } = launchpad;
  const value = graduated ? 'Graduated' : progressPercent === null ? 'On its curve' : `${share(progressPercent)} sold`;
  return [{ id: 'launch', name: 'Launch', value, state: graduated ? 'good' : 'warning', basis: `Curve of ${name}` }];
}
