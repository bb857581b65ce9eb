import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LiveProject } from '#apps/ingest/src/project/live-project.js';
import { poolToken } from '#apps/router/src/evm/native-coin.js';
import { createReceiptKeeper, type ReceiptKeeper } from '#apps/router/src/receipts/receipt-keeper.js';
import type { KeptReceipts } from '#apps/router/test/solana-world.js';
import { sol } from '#libs/chain/catalogue/test/chain-specs.js';
import type { MarketRunner } from '#libs/devkit/devnet/solana/market/market-runner.js';
import { heapPlaces } from '#libs/devkit/testing/heap-places.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { foldVersion } from '#libs/pipeline/fold/fold-version.js';
import { silentLogger } from '#libs/platform/logger.js';
import { Supervisor } from '#libs/platform/supervisor.js';
import { createPoolFollower, type PoolFollower } from '#libs/routing/pools/pool-follower.js';
import { confirmedHead } from '../pipeline/solana/chain-truth.js';
import { RestartedSource } from '../pipeline/solana/restarted-source.js';

/** What a router has of a local Solana chain for its receipts, all of it real: the source, the log, the fold, the pools. */
export class SolanaReceipts implements KeptReceipts {
  private constructor(
    private readonly dir: string,
    private readonly log: EventLog,
    private readonly market: MarketRunner,
    private readonly source: RestartedSource,
    private readonly follower: PoolFollower,
    private readonly supervisor: Supervisor,
    readonly keeper: ReceiptKeeper,
  ) {}

  static async open(market: MarketRunner, now: () => number): Promise<SolanaReceipts> {
    const dir = await mkdtemp(join(tmpdir(), 'tidepool-solana-receipts-'));
    const log = await openEmbeddedLog({ dir: join(dir, 'log') });
    const source = new RestartedSource(log, join(dir, 'source'), [market.chain.rpcUrl, market.chain.wsUrl]);
    source.start();
    const keeper = createReceiptKeeper({ log, chains: [sol], poolToken, logger: silentLogger, now, pollMs: 20 });
    const follower = createPoolFollower({ chain: 'sol', log, pollMs: 20 });
    follower.onGroup((facts) => keeper.onFacts('sol', facts));
    const supervisor = new Supervisor({ logger: silentLogger });
    const project = new LiveProject({ log, chain: 'sol', foldVersion, place: heapPlaces(), pollMs: 20 });
    for (const stage of [project, follower, keeper]) supervisor.start(stage);
    return new SolanaReceipts(dir, log, market, source, follower, supervisor, keeper);
  }

  /** The receipts are those of the chain's confirmed block. */
  async caughtUp(): Promise<void> {
    const { rpcUrl } = this.market.chain;
    await this.source.caughtUp(rpcUrl);
    const head = await confirmedHead(rpcUrl);
    await until('the receipts are at the head', () => {
      this.source.check();
      const [chain] = this.keeper.status().chains;
      return this.follower.head()?.hash === head && chain!.inStep && chain!.seq === this.follower.status().seq;
    });
  }

  async close(): Promise<void> {
    await this.supervisor.stop();
    await this.source.stop();
    await this.log.close();
    await removeFolder(this.dir);
  }
}
