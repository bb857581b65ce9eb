import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { LOCAL_LAUNCHPAD_ID, MarketListing } from '#libs/devkit/devnet/solana/market/market-listing.js';
import { MarketRunner } from '#libs/devkit/devnet/solana/market/market-runner.js';
import { metadataEdit } from '#libs/devkit/devnet/solana/market/market-setup.js';
import { MarketView } from '#libs/devkit/devnet/solana/market/market-view.js';
import type { SeededKey } from '#libs/devkit/devnet/solana/market/seeded-key.js';
import { signTransaction } from '#libs/devkit/devnet/solana/market/sign-transaction.js';
import { renounceMinting } from '#libs/devkit/devnet/solana/market/token-calls.js';
import { createCurve, type Instruction } from '#programs/client.js';

/**
 * The local Solana market with a life that is harder than a real one: seeded, one move at a time. Slots are skipped,
 * launches, graduations and given-up authorities come often, and forks like to take just those away again.
 */
const HISTORY_SECONDS = 5 * 3600;
/** A fork replaces the unconfirmed block in addition to those that a reader has seen. */
const UNCONFIRMED = 1;
/** Old enough that a fork of six blocks leaves the transaction valid. */
const BLOCKHASH_BEHIND = 8;

export class BusyMarket {
  /** How often each thing happened: a history in which one never does shows nothing about it. */
  readonly happened: Record<string, number> = {};
  private readonly listing: MarketListing;

  private constructor(
    readonly runner: MarketRunner,
    readonly random: SeededRandom,
  ) {
    this.listing = new MarketListing(runner.seed);
  }

  static async start(seed: number, historyBlocks: number): Promise<BusyMarket> {
    const options = { seed, historyBlocks, historySeconds: HISTORY_SECONDS, autoSlots: false };
    return new BusyMarket(await MarketRunner.start(options), new SeededRandom(seed + 1));
  }

  get rpcUrl(): string {
    return this.runner.chain.rpcUrl;
  }

  get wsUrl(): string {
    return this.runner.chain.wsUrl;
  }

  stop(): Promise<void> {
    return this.runner.chain.stop();
  }

  /** One thing by chance: mostly a block or a few. */
  move(): void {
    const { random } = this;
    const moves: [weight: number, move: () => void][] = [
      [54, () => this.blocks(random.between(1, 3))],
      [7, () => this.skip(random.between(1, 12))],
      [18, () => this.fork(random.between(1, 6))],
      [8, () => this.graduation()],
      [5, () => this.launch()],
      [3, () => this.renounce()],
    ];
    moves[random.weighted(moves.map(([weight]) => weight))]![1]();
  }

  /** Each rare thing once, whatever chance brings. */
  get rarities(): [name: string, move: () => void][] {
    return [
      ['skip', () => this.skip(3)],
      ['graduation', () => this.graduation()],
      ['launch', () => this.launch()],
      ['renounced', () => this.renounce()],
    ];
  }

  blocks(count: number): void {
    for (let n = 0; n < count; n++) this.runner.slot();
  }

  /** Replaces so many blocks that were confirmed, the newest ones. */
  fork(depth: number): void {
    const { random } = this;
    const how = { sameSlots: random.chance(0.4), drop: random.pick([0, 0.1, 0.6]) };
    this.runner.chain.fork(depth + UNCONFIRMED, how);
    this.count(`fork ${depth > 6 ? 'deep' : depth}`);
  }

  private skip(count: number): void {
    this.runner.chain.skip(count);
    this.blocks(1);
    this.count('skip');
  }

  /** A wallet buys all that a curve still sells, and the curve becomes a pool in the next block. */
  private graduation(): void {
    const before = this.pools();
    this.runner.trade('buys-out');
    this.runner.chain.slot();
    this.blocks(2);
    if (this.pools() > before) this.aftermath('graduation');
  }

  private launch(): void {
    const { listing, random } = this;
    const { plan, keys, mint, mintKey } = listing.curve(new MarketView(this.runner.chain).curves(listing).next);
    const { name, symbol, uri, virtualQuote, feeBps, poolFeeBps } = plan;
    const creator = random.pick(listing.wallets);
    const texts = { name, symbol, uri };
    const order = { creator: creator.id, virtualQuote, feeBps, poolFeeBps, ...texts };
    this.runner.chain.edit(metadataEdit(mint.id, creator.id, texts));
    this.send(creator, [createCurve(LOCAL_LAUNCHPAD_ID, keys, order)], [mintKey]);
    this.aftermath('launch');
  }

  /** The deployer gives up minting one more of its tokens; reference tokens stay as they are. */
  private renounce(): void {
    const { listing, random } = this;
    const view = new MarketView(this.runner.chain);
    const due = listing.tokens.filter(({ id, plan }) => view.hasMintAuthority(id) && plan.usd !== 1);
    if (due.length === 0) return;
    this.send(listing.deployer, [renounceMinting(random.pick(due), listing.deployer.id)], []);
    this.aftermath('renounced');
  }

  private send(payer: SeededKey, instructions: readonly Instruction[], signers: readonly SeededKey[]): void {
    const { chain } = this.runner;
    chain.send(signTransaction({ version: 0, payer, signers, instructions }, chain.blockhash(BLOCKHASH_BEHIND)));
    chain.slot();
  }

  /** The block of a rare thing becomes confirmed; then a fork may take it away. */
  private aftermath(what: string): void {
    this.count(what);
    const above = this.random.between(1, 3);
    this.blocks(above);
    if (!this.random.chance(0.6)) return;
    this.fork(above + this.random.between(0, 2));
    this.count(`fork across ${what}`);
  }

  private pools(): number {
    return this.runner.contents().pools.length;
  }

  private count(what: string): void {
    this.happened[what] = (this.happened[what] ?? 0) + 1;
  }
}
