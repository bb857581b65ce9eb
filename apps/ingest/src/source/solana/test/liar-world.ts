import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { until } from '#libs/devkit/testing/until.js';
import { survivors } from '../../test/log-checks.js';
import { SolanaHarness } from './solana-harness.js';
import { loggedLine, TokenTraffic, toldLine } from './token-traffic.js';

/** A chain whose transactions pass tokens on, and the log of a source that reads it. */
export class LiarWorld {
  private constructor(
    readonly harness: SolanaHarness,
    readonly random: SeededRandom,
    private readonly traffic: TokenTraffic,
  ) {}

  static async open(seed: number): Promise<LiarWorld> {
    const random = new SeededRandom(seed);
    const harness = await SolanaHarness.open({ seed, finalizedDepth: 12 });
    return new LiarWorld(harness, random, new TokenTraffic(harness.chain, random));
  }

  /** Blocks of up to so many transfers each, and skipped slots. */
  grow(blocks: number, most = 3): void {
    for (let n = 0; n < blocks; n++) {
      if (this.random.chance(0.1)) this.harness.chain.skip(this.random.between(1, 3));
      this.block(this.random.int(most + 1));
    }
  }

  /** Blocks of exactly so many transfers each. Slots of them. */
  blocks(blocks: number, transfers: number): number[] {
    return Array.from({ length: blocks }, () => this.block(transfers));
  }

  async tip(): Promise<number> {
    return this.harness.ask('getSlot', { commitment: 'confirmed' });
  }

  /** Waits until the log is the chain from a slot on. */
  async settled(from = 0, patienceMs = 60_000): Promise<void> {
    const told = await this.told(from);
    let logged: string[] = [];
    const howFar = (): unknown => {
      const at = told.findIndex((line, n) => line !== logged[n]);
      return { chain: told[at], log: logged[at], blocks: [told.length, logged.length] };
    };
    const same = async (): Promise<boolean> => {
      const groups = await this.harness.groups();
      logged = groups.length === 0 ? [] : survivors(groups).map(loggedLine);
      return logged.join() === told.join();
    };
    await until('the log is the chain', same, { howFar, everyMs: 20, patienceMs });
  }

  async retracts(): Promise<number> {
    return (await this.harness.groups()).filter(({ kind }) => kind === 'retract').length;
  }

  private block(transfers: number): number {
    this.traffic.transfers(transfers);
    return this.harness.chain.slot().slot;
  }

  /** The chain as its own node tells it. */
  private async told(from: number): Promise<string[]> {
    const config = { commitment: 'confirmed', maxSupportedTransactionVersion: 1, rewards: false };
    const slots = await this.harness.ask<number[]>('getBlocks', from, await this.tip(), config);
    const lines: string[] = [];
    for (const slot of slots) lines.push(toldLine(slot, await this.harness.ask('getBlock', slot, config)));
    return lines;
  }
}
