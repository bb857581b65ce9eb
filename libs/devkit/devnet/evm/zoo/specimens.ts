/**
 * What is true of a token of the zoo. A tax is null where nothing arrives that could be measured.
 */
export interface ZooTruth {
  readonly buyable: boolean;
  readonly sellable: boolean;
  readonly transferable: boolean;
  readonly buyTaxBps: number | null;
  readonly sellTaxBps: number | null;
  readonly transferTaxBps: number | null;
  readonly mintable: boolean;
  readonly pausable: boolean;
  readonly blacklist: boolean;
  readonly taxChangeable: boolean;
  readonly proxy: boolean;
  readonly renounced: boolean;
}

/** How a proxy keeps what it runs. */
export type ProxyForm = 'implementation' | 'proxiable' | 'zeppelin' | 'beacon' | 'minimal';

/** A contract of Zoo.sol with its parameters, and what is true of it by them. */
export interface Specimen {
  readonly name: string;
  readonly contract: string;
  /** What its constructor takes after supply, pool and keeper; of a proxy, what the token behind it begins with. */
  readonly args: readonly unknown[];
  readonly proxy: ProxyForm | null;
  readonly truth: ZooTruth;
}

/** Draws for the parameters; the same seed gives the same zoo. */
export interface Draws {
  int(from: number, to: number): number;
  hex(bytes: number): string;
  pick<T>(items: readonly T[]): T;
}

export const ZOO_SUPPLY = 10n ** 27n;

const GOOD: ZooTruth = {
  ...{ buyable: true, sellable: true, transferable: true, buyTaxBps: 0, sellTaxBps: 0, transferTaxBps: 0 },
  ...{ mintable: false, pausable: false, blacklist: false, taxChangeable: false, proxy: false, renounced: false },
};
const NOBODY = ['0x0000000000000000000000000000000000000000', '0x000000000000000000000000000000000000dEaD'] as const;
const NO_SALE = { sellable: false, sellTaxBps: null } as const;
const NO_MOVE = { transferable: false, transferTaxBps: null } as const;

type Made = Pick<Specimen, 'contract' | 'args'> & { truth: Partial<ZooTruth>; proxy?: ProxyForm };
type Kind = (owner: string, live: boolean, draws: Draws) => Made;

const owned =
  (contract: string, truth: (live: boolean) => Partial<ZooTruth> = () => ({})): Kind =>
  (owner, live) => ({ contract, args: [owner], truth: truth(live) });

const taxed =
  (contract: string, change: boolean): Kind =>
  (owner, live, draws) => {
    // A rate without a limit stops every sale.
    const pausable = contract === 'ZooTaxOdd' && live;
    const [buy, sell, move] = [draws.int(0, 12) * 50, draws.int(0, 60) * 50, draws.pick([0, 0, 100, 450])];
    const taxes = { buyTaxBps: buy, sellTaxBps: sell, transferTaxBps: move };
    return { contract, args: [owner, buy, sell, move], truth: { ...taxes, taxChangeable: change && live, pausable } };
  };

const behind =
  (proxy: ProxyForm, contract: string): Kind =>
  (owner, live) => ({
    ...{ contract, args: [owner], proxy },
    truth: { proxy: true, mintable: live && contract === 'ZooBehindMintable' },
  });

const FORMS = ['implementation', 'proxiable', 'zeppelin', 'beacon', 'minimal'] as const;

/** Each is made with a live owner and with none. */
const OWNED: readonly Kind[] = [
  owned('ZooOwnedPlain'),
  owned('ZooMintable', (mintable) => ({ mintable })),
  owned('ZooMintQuiet', (mintable) => ({ mintable })),
  (owner, live) => ({ contract: 'ZooMintCapped', args: [owner, ZOO_SUPPLY], truth: { mintable: false && live } }),
  (owner, live) => ({ contract: 'ZooMintCapped', args: [owner, 2n * ZOO_SUPPLY], truth: { mintable: live } }),
  (owner, live) => ({ contract: 'ZooPausable', args: [owner, false], truth: { pausable: live } }),
  (owner, live) => ({
    ...{ contract: 'ZooPausable', args: [owner, true] },
    truth: { buyable: false, buyTaxBps: null, ...NO_SALE, ...NO_MOVE, pausable: live },
  }),
  owned('ZooTradingSwitch', (pausable) => ({ pausable })),
  owned('ZooOpened'),
  owned('ZooOneWay', (pausable) => ({ pausable })),
  owned('ZooLimits'),
  owned('ZooBlacklist', (blacklist) => ({ blacklist })),
  owned('ZooBots', (blacklist) => ({ blacklist })),
  taxed('ZooTax', false),
  taxed('ZooTax', false),
  taxed('ZooTaxSetter', true),
  taxed('ZooTaxSetter', true),
  taxed('ZooTaxOdd', true),
  (owner, _, draws) => {
    const [buy, sell] = [draws.int(1, 10) * 100, draws.int(1, 30) * 100];
    return { contract: 'ZooSwapBack', args: [owner, buy, sell], truth: { buyTaxBps: buy, sellTaxBps: sell } };
  },
  owned('ZooHoneypot', () => NO_SALE),
  owned('ZooHoneypotSilent', () => ({ ...NO_SALE, sellTaxBps: 10_000 })),
  owned('ZooHoneypotApproval', () => NO_SALE),
  owned('ZooHoneypotAware', () => NO_SALE),
  owned('ZooMintFallback', (mintable) => ({ mintable })),
  (owner) => ({
    ...{ contract: 'ZooTax', args: [owner, 0, 10_000, 0] },
    truth: { sellable: false, sellTaxBps: 10_000 },
  }),
  owned('ZooStuck', () => ({ ...NO_SALE, ...NO_MOVE })),
  owned('ZooPoolOnly', () => NO_MOVE),
  (owner, _, draws) => ({ contract: 'ZooCooldown', args: [owner, draws.pick([1, 10, 60, 3_600, 80_000])], truth: {} }),
  owned('ZooBarsContracts'),
  (owner, _, draws) => ({ contract: 'ZooRebase', args: [owner, draws.pick([0, 500, 10_000])], truth: {} }),
  owned('ZooTether', (on) => ({ mintable: on, pausable: on, blacklist: on, taxChangeable: on })),
  ...FORMS.flatMap((form) => [behind(form, 'ZooBehind'), behind(form, 'ZooBehindMintable')]),
];

/** Their contracts name no owner, or none that is one. */
const UNOWNED: readonly Kind[] = [
  () => ({ contract: 'ZooPlain', args: [], truth: { renounced: true } }),
  () => ({ contract: 'ZooMintOpen', args: [], truth: { mintable: true, renounced: true } }),
  (owner) => ({ contract: 'ZooMintHidden', args: [owner], truth: { mintable: true, renounced: false } }),
  (owner) => ({ contract: 'ZooMintRoles', args: [owner], truth: { mintable: true, renounced: false } }),
];

/** So many tokens of all kinds in turn, every second one of a kind with an owner without. */
export function specimens(count: number, draws: Draws): Specimen[] {
  const kinds = [...OWNED.map((kind) => ({ kind, owned: true })), ...UNOWNED.map((kind) => ({ kind, owned: false }))];
  return Array.from({ length: count }, (_, n) => {
    const { kind, owned: has } = kinds[n % kinds.length]!;
    const live = !has || Math.floor(n / kinds.length) % 2 === 0;
    const owner = live ? `0x${draws.hex(20)}` : draws.pick(NOBODY);
    const { truth, proxy = null, ...made } = kind(owner, live, draws);
    const name = `${n} ${made.contract}${proxy === null ? '' : ` behind ${proxy}`} ${has ? (live ? 'owned' : 'renounced') : ''}`;
    return { name: name.trim(), ...made, proxy, truth: { ...GOOD, renounced: has && !live, ...truth } };
  });
}
