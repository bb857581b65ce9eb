import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainPlan } from '#libs/app/operations/upgrade/upgrade-plan.js';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { OFFICIAL } from '#libs/devkit/chain-builder/official-addresses.js';
import { type FaultRpc, startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { readEpochRecords, sameServed } from '#libs/pipeline/epochs/served-epoch.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { epochsTopic } from '#libs/protocol/topics.js';
import { PATIENCE_MS, type Program } from '../multi-process/program.js';
import { type Address, FrameFollower, PageWalker } from './clients.js';
import { SwapLedger } from './swap-ledger.js';
import type { ProgramVersion } from './versions.js';

const HISTORY = 300;
const BLOCK_MS = 400;
/** While something is waited for, a block takes as long again after each such time: no program is so slow that it never catches up. */
const SLOWER_EVERY_MS = 15_000;

/** Where the versions run: over which log and store, and how clients reach them. */
export interface Ground {
  /** The program that builds and that is killed; ready to be asked once its process runs. */
  start(version: ProgramVersion, rpcUrl: string): Program;
  /** A log of this process's own, for a look at what is served; null while there is none. */
  log(): Promise<EventLog | null>;
  address(): Address;
  /** What this version's command line says, next to the program that runs or without one. */
  tidepool(version: ProgramVersion, rpcUrl: string, ...argv: string[]): Program;
}

/** A chain that grows and is reorganized, clients that never stop, and one version of the program after the other. */
export class UpgradeRun {
  readonly chain: ChainBuilder;
  readonly ledger: SwapLedger;
  /** Kills that met a build. */
  killsInBuilds = 0;
  readonly trace: string[] = [];
  follower!: FrameFollower;
  walker!: PageWalker;
  private program: Program | null = null;
  private rpc!: FaultRpc;
  private readonly end = new AbortController();
  private walking: Promise<void> = Promise.resolve();
  private mining: Promise<void> = Promise.resolve();
  private mines = true;
  private waitsSince: number | null = null;
  /** How long the first start took to its head: kills are drawn over that. */
  private spanMs = 2_000;

  constructor(
    private readonly ground: Ground,
    private readonly random: SeededRandom,
  ) {
    this.chain = new ChainBuilder({ seed: random.int(1, 1e9), transactions: [0, 4] });
    this.ledger = new SwapLedger(this.chain, OFFICIAL.weth);
  }

  /** The first version is served, and the clients begin. */
  async begin(version: ProgramVersion): Promise<void> {
    this.chain.mine(HISTORY);
    this.rpc = await startFaultRpc({ chain: this.chain, faults: { seed: 1 } });
    const started = performance.now();
    this.program = this.ground.start(version, this.rpc.url);
    await this.served(version);
    this.walker = new PageWalker(() => this.ground.address(), this.ledger, this.end.signal);
    await this.until('the head', async () => (await this.walker.page(null)).meta.blockHash === this.chain.head.hash);
    this.spanMs = performance.now() - started;
    await this.walker.finish(await this.walker.begin(), 0, version.marks);
    this.follower = new FrameFollower(this.ground.address(), this.ledger);
    this.walking = this.walker.run();
    this.walking.catch(() => undefined); // it comes out at the end
    this.mining = this.mine();
  }

  /** Installs a version, kills it at random moments, and waits until it is served to the chain's head. */
  async install(version: ProgramVersion, kills: number): Promise<void> {
    await this.stop();
    this.program = this.ground.start(version, this.rpc.url);
    for (let n = 0; n < kills; n++) await this.killSoon(version);
    await this.served(version);
    await this.atRest(version);
  }

  /** What a version says that it would build of the chain, asked while another one runs or while none does. */
  async plan(version: ProgramVersion): Promise<ChainPlan> {
    const asked = this.ground.tidepool(version, this.rpc.url, 'upgrade', '--plan', '--json');
    const code = await asked.ended();
    if (code !== 0) throw new Error(`the plan of ${version.name} ends with ${code}\n${asked.words}`);
    return (JSON.parse(asked.stdout) as { chains: ChainPlan[] }).chains[0]!;
  }

  private async killSoon(version: ProgramVersion): Promise<void> {
    const afterMs = this.random.int(0, Math.round(this.spanMs));
    await sleep(afterMs);
    const builds = !(await this.isServed(version));
    await this.program!.kill9();
    if (builds) this.killsInBuilds++;
    this.trace.push(`${version.name}: killed after ${afterMs} ms${builds ? ', building' : ''}`);
    this.program = this.ground.start(version, this.rpc.url);
  }

  /** Nothing is mined until all that clients see is the head, in rows of this version. */
  private async atRest(version: ProgramVersion): Promise<void> {
    this.mines = false;
    const { hash } = this.chain.head;
    await this.until(`the head ${this.chain.head.number} ${hash} in rows of ${version.name}`, async () => {
      const { meta } = await this.walker.page(null);
      return meta.blockHash === hash && this.follower.problem(version.marks, hash) === null;
    });
    await this.walker.finish(await this.walker.begin(), 0, version.marks);
    this.mines = true;
  }

  private async served(version: ProgramVersion): Promise<void> {
    await this.until(`${version.name} to be served`, () => this.isServed(version));
  }

  private async isServed(version: ProgramVersion): Promise<boolean> {
    const log = await this.ground.log();
    if (log === null || !(await log.describe()).some(({ name }) => name === epochsTopic.name)) return false;
    const { served, flip } = await readEpochRecords(log, 'eth');
    return flip === null && sameServed(served, version);
  }

  private async until(what: string, done: () => Promise<boolean>): Promise<void> {
    this.waitsSince = Date.now();
    const look = async (): Promise<boolean> => {
      if (await done()) return true;
      const { program } = this;
      if (program === null || !program.alive) throw new Error(`${what}: the program ended\n${program?.words ?? ''}`);
      const [problem] = this.problems();
      if (problem !== undefined) throw new Error(`${what}: ${problem}`);
      return false;
    };
    await until(what, look, {
      ...{ everyMs: 100, patienceMs: PATIENCE_MS },
      howFar: async () => `${await this.seen()}\n${this.program?.words}`,
    });
    this.waitsSince = null;
  }

  /** How far the clients are, for the message of a failure. */
  private async seen(): Promise<string> {
    const { meta } = await this.walker.page(null);
    const records = await readEpochRecords((await this.ground.log())!, 'eth');
    return JSON.stringify({
      ...{ records, pages: meta, frames: this.follower?.list.meta, head: this.chain.head.number },
      stages: this.program?.lines.filter(({ stage }) => stage !== 'venues.eth').slice(-15),
    });
  }

  problems(): string[] {
    return [...(this.walker?.problems ?? []), ...(this.follower?.problems ?? [])];
  }

  private async mine(): Promise<void> {
    while (!this.end.signal.aborted) {
      const waited = this.waitsSince === null ? 0 : Date.now() - this.waitsSince;
      await sleep(BLOCK_MS * (1 + waited / SLOWER_EVERY_MS));
      if (!this.mines) continue;
      if (this.random.chance(0.05)) this.chain.reorg(this.random.int(1, 3));
      else this.chain.mine(1);
    }
  }

  async stop(): Promise<void> {
    await this.program?.kill9();
    this.program = null;
  }

  /** Ends all of it; a failure of a client comes out. */
  async close(): Promise<void> {
    this.end.abort();
    await this.stop();
    this.follower?.close();
    await this.mining;
    await this.walking;
    await this.rpc?.close();
  }
}
