import { MAX_WIRE_BYTES } from '#libs/chain/chains/solana/wire-transaction.js';
import type { Hex } from '#libs/core/ids.js';
import type { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { LocalSolana } from '../local-solana.js';
import { Arbitrageur } from './arbitrageur.js';
import { buyOut, claim, curveTrade, graduate, launch, snipe } from './curve-traders.js';
import type { ListedPool, MarketListing } from './market-listing.js';
import { WALLET_LAMPORTS } from './market-setup.js';
import { MarketView } from './market-view.js';
import { arbitrage, isPoolToken, poolSwap, provide, withdraw } from './pool-traders.js';
import type { Action, OpenCurve, Scene } from './scene.js';
import { SeededKey } from './seeded-key.js';
import { signTransaction } from './sign-transaction.js';
import type { MintRef } from './token-calls.js';
import { unitPrice } from './token-calls.js';
import { issue, renounceLater, transfer, wrap } from './token-moves.js';
import { TraderPriceModel } from './trader-price-model.js';

/**
 * Seeded traders: the same seed on the same chain sends the same transactions. Each wallet sends one a block at most; all
 * of them see the state before the block, so that those who come late may miss their limits.
 */
type Chain = Pick<LocalSolana, 'account' | 'edit' | 'airdrop' | 'blockhash' | 'send'>;

/** Weights of none, one, two... transactions in a block. */
export const BUSY = [1, 3, 8, 14, 18, 18, 14, 9, 5];
export const QUIET = [20, 35, 25, 15, 5];

/** What every history has once: an authority is given up, and a wallet buys all that a curve still sells. */
export type MarketEvent = 'renounces' | 'buys-out';

const LOW_LAMPORTS = 200n * 10n ** 9n;
/** Seconds between launches, on average; much less while no curve is open. */
const LAUNCH_SECONDS = 1_500;
const FIRST_LAUNCH_SECONDS = 90;
const MOST_OPEN_CURVES = 4;
const LAUNCHED_VOLATILITY = 0.4;
/** Pools of recently graduated curves are traded more. */
const POPULAR = 6;
/** Wallets name the hash of a block that no short fork takes away. */
const BLOCKHASH_BEHIND = 4;
const SNIPERS = 4;
/** Share of transactions whose fee another wallet pays. */
const RELAYED = 0.05;

export class Traders {
  private readonly prices: TraderPriceModel;
  private readonly mints = new Map<Hex, MintRef>();
  private readonly arbitrageur: Arbitrageur;
  private readonly snipers: readonly SeededKey[];
  private lastTime: number | null = null;

  constructor(
    private readonly chain: Chain,
    private readonly listing: MarketListing,
    private readonly random: SeededRandom,
    private readonly activity: readonly number[] = BUSY,
  ) {
    this.prices = new TraderPriceModel(random);
    const { seed, deployer } = listing;
    this.arbitrageur = new Arbitrageur(deployer, seed);
    this.snipers = Array.from({ length: SNIPERS }, (_, i) => new SeededKey(`tidepool sniper ${seed} ${i}`));
    for (const token of listing.tokens) {
      const { id, decimals, plan } = token;
      this.mints.set(id, token);
      if (isPoolToken(token)) {
        this.prices.add({ id, decimals, volatility: plan.volatility, stable: ['USDC', 'USDT'].includes(plan.symbol) });
      }
    }
  }

  /** Queues what the traders do in the next block, whose time is `time`. */
  plan(time: number, event: MarketEvent | null = null): void {
    const view = new MarketView(this.chain);
    const { known, next } = view.curves(this.listing);
    const scene = this.scene(view, known);
    this.prices.adopt(
      scene.pools.flatMap(({ keys }) => {
        const held = view.reserves(keys);
        return held === null ? [] : [{ mintA: keys.mintA, mintB: keys.mintB, price: Number(held.b) / Number(held.a) }];
      }),
    );
    this.prices.advance(time);
    const passed = this.lastTime === null ? 1 : Math.max(0, time - this.lastTime);
    this.lastTime = time;
    const wallets = this.random.shuffle([...this.listing.wallets]);
    const actions = [...this.arbitrageur.actions(scene), ...this.launchpadActions(scene, next, passed, wallets)];
    const happening = event === null ? null : this.happening(scene, event, wallets);
    if (happening) actions.push(happening);
    const count = this.random.weighted(this.activity);
    for (const wallet of wallets.slice(0, count)) {
      const action = this.choose(scene, wallet);
      if (action) actions.push(action);
    }
    this.refill(view, wallets.slice(0, count));
    for (const action of actions) this.send(action, wallets);
  }

  private scene(view: MarketView, curves: readonly OpenCurve[]): Scene {
    const graduated = curves.filter(({ state }) => state.status === 'graduated');
    const pools: ListedPool[] = graduated.map(({ listed }, i) => ({
      keys: listed.pool,
      weight: i >= graduated.length - POPULAR ? 2.5 : 0.3,
    }));
    for (const { listed } of curves) {
      const { id, decimals } = listed.mint;
      if (this.mints.has(id)) continue;
      this.mints.set(id, listed.mint);
      this.prices.add({ id, decimals, volatility: LAUNCHED_VOLATILITY, stable: false });
    }
    const known = [...this.listing.pools, ...pools].filter(({ keys }) => view.reserves(keys) !== null);
    const { listing, random, prices, mints } = this;
    return { listing, random, view, prices, mints, pools: known, curves };
  }

  private launchpadActions(scene: Scene, next: number, passed: number, wallets: SeededKey[]): Action[] {
    const actions: Action[] = [];
    for (const curve of scene.curves) {
      if (curve.state.status === 'complete') actions.push(graduate(wallets.pop() as SeededKey, curve));
    }
    const open = scene.curves.filter(({ state }) => state.status === 'trading').length;
    const seconds = open === 0 ? FIRST_LAUNCH_SECONDS : LAUNCH_SECONDS;
    if (open < MOST_OPEN_CURVES && this.random.chance(Math.min(0.5, passed / seconds))) {
      this.refill(scene.view, this.snipers);
      actions.push(launch(scene, wallets.pop() as SeededKey, next), ...snipe(scene, this.snipers, next));
    }
    return actions;
  }

  private happening(scene: Scene, event: MarketEvent, wallets: SeededKey[]): Action | null {
    if (event === 'renounces') return renounceLater(scene);
    const open = scene.curves.find(({ state }) => state.status === 'trading');
    return open ? buyOut(scene, wallets.pop() as SeededKey, open) : null;
  }

  private choose(scene: Scene, wallet: SeededKey): Action | null {
    switch (this.random.weighted([58, 15, 3, 3, 2.5, 9, 2, 1, 1])) {
      case 1:
        return curveTrade(scene, wallet) ?? poolSwap(scene, wallet);
      case 2:
        return arbitrage(scene, wallet);
      case 3:
        return provide(scene, wallet);
      case 4:
        return withdraw(scene, wallet);
      case 5:
        return transfer(scene, wallet);
      case 6:
        return wrap(scene, wallet);
      case 7:
        return issue(scene, wallet);
      case 8:
        return claim(scene);
      default:
        return poolSwap(scene, wallet);
    }
  }

  private send({ payer, signers = [], instructions, edits = [] }: Action, wallets: readonly SeededKey[]): void {
    for (const edit of edits) this.chain.edit(edit);
    const { random } = this;
    const relayer = random.chance(RELAYED) ? random.pick(wallets) : payer;
    const paid = random.chance(0.3) ? [unitPrice(BigInt(random.between(1_000, 400_000)))] : [];
    const order = {
      version: random.chance(0.35) ? ('legacy' as const) : (0 as const),
      payer: relayer,
      signers: relayer === payer ? signers : [payer, ...signers],
      instructions: [...paid, ...instructions],
    };
    const wire = signTransaction(order, this.chain.blockhash(BLOCKHASH_BEHIND));
    // A long route whose fee another wallet pays may not fit: then it is not sent.
    if (wire.length <= MAX_WIRE_BYTES) this.chain.send(wire);
  }

  /** Wallets that ran low on coins get some, as from an exchange, so that no wallet has to stop trading. */
  private refill(view: MarketView, wallets: readonly SeededKey[]): void {
    for (const { id, address } of wallets) {
      if (view.lamports(id) < LOW_LAMPORTS) this.chain.airdrop(address, WALLET_LAMPORTS);
    }
  }
}
