import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test, type TestingModule } from '@nestjs/testing';
import type { ChainEndpoint } from '#libs/app/modules/chain-endpoints.js';
import { ConfiguredEndpointsModule } from '#libs/app/modules/endpoints.module.js';
import { PlatformModule } from '#libs/app/modules/platform.module.js';
import { CHAIN_ENDPOINTS, CLOCK, EVENT_LOG, LOG_ADDRESS, STORE } from '#libs/app/modules/tokens.js';
import { configurableChains } from '#libs/chain/catalogue/catalogue.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { Runtime } from '#libs/platform/runtime.js';
import { ingestStatusTopic } from '#libs/protocol/topics.js';
import { UsageRollup } from '#libs/serve/accounts/usage-rollup.js';
import { decodeIngestStatus } from '#libs/serve/contract/ingest-status.js';
import { PROJECT, SINK, SOURCE } from './chain-ingest.module.js';
import { IngestModule } from './ingest.module.js';
import { ReceiptsStage } from './receipts/receipts-stage.js';
import { SourceStatusBoard } from './source/status-board.js';
import { UsageTableStage } from './usage/usage-table-stage.js';

const NOW = 1_700_000_000_000;

/** A stage that says when it begins, and when it ends after a turn of its own. */
class ScriptedStage {
  constructor(
    readonly name: string,
    private readonly happened: string[],
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    this.happened.push(`${this.name} runs`);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    this.happened.push(`${this.name} is asked to end`);
    await new Promise((resolve) => setImmediate(resolve));
    this.happened.push(`${this.name} has ended`);
  }

  status() {
    return { stage: this.name, chain: 'eth', seq: null, height: null, detail: {} };
  }
}

/** The application of ingest over parts of the spec: what Nest starts, and in which order it ends. */
describe('the modules of ingest', () => {
  let dir: string;
  let runtime: Runtime;
  let log: EventLog;
  let application: TestingModule;
  let found: (endpoint: ChainEndpoint) => void;
  const happened: string[] = [];
  const exits: number[] = [];

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tidepool-ingest-module-'));
    happened.length = 0;
    exits.length = 0;
    const env = {
      TIDEPOOL_DATA_DIR: dir,
      TIDEPOOL_CHAINS: 'eth',
      TIDEPOOL_LOG_LEVEL: 'silent',
      TIDEPOOL_MIN_FREE_MB: '1',
    };
    const exit = (code: number) => void exits.push(code);
    runtime = await Runtime.start({ app: 'all-in-one', chains: configurableChains, env, cwd: dir, exit });
    log = await openEmbeddedLog({ dir: join(dir, 'log-of-the-spec') });
    const endpoint = new Promise<ChainEndpoint>((resolve) => {
      found = resolve;
    });
    const source = new ScriptedStage('source', happened);
    const reading = { run: source.run.bind(source), status: () => new SourceStatusBoard('eth').status() };
    application = await Test.createTestingModule({
      imports: [PlatformModule.of(runtime), ConfiguredEndpointsModule, IngestModule.of(runtime.config)],
    })
      .overrideProvider(EVENT_LOG)
      .useValue(log)
      .overrideProvider(LOG_ADDRESS)
      .useValue(null)
      .overrideProvider(STORE)
      .useValue({})
      .overrideProvider(CLOCK)
      .useValue(() => NOW)
      .overrideProvider(CHAIN_ENDPOINTS)
      .useValue({ of: () => endpoint })
      .overrideProvider(SOURCE)
      .useValue(reading)
      .overrideProvider(PROJECT)
      .useValue(new ScriptedStage('project.eth', happened))
      .overrideProvider(SINK)
      .useValue(new ScriptedStage('sink.eth', happened))
      .overrideProvider(ReceiptsStage)
      .useValue(new ScriptedStage('receipts.table', happened))
      .overrideProvider(UsageTableStage)
      .useValue(new ScriptedStage('usage.table', happened))
      .overrideProvider(UsageRollup)
      .useValue(new ScriptedStage('usage.rollup', happened))
      .compile();
  });

  afterEach(async () => {
    await log.close();
    await runtime.shutdown.run('the spec is over', 0);
    await rm(dir, { recursive: true, force: true });
  });

  const stages = () => runtime.supervisor.status().map(({ name, state }) => `${name} ${state}`);

  it('starts nothing before the application starts, and a chain once its nodes are known', async () => {
    expect(stages()).toEqual([]);
    await application.init();
    expect(stages()).toEqual(['receipts.table running', 'usage.table running', 'usage.rollup running']);
    found({ rpcUrls: [], startHeight: null, codePins: new Map(), demoRpcUrl: null });
    await new Promise((resolve) => setImmediate(resolve));
    expect(stages()).toEqual([
      'receipts.table running',
      'usage.table running',
      'usage.rollup running',
      'source.eth running',
      'project.eth running',
      'sink.eth running',
      'upgrade.eth running',
      'status.eth running',
      'metadata.eth running',
      'safety.eth running',
    ]);
    await application.close();
  });

  it('ends source before fold before sink, each when the one before has ended', async () => {
    await application.init();
    found({ rpcUrls: [], startHeight: null, codePins: new Map(), demoRpcUrl: null });
    await new Promise((resolve) => setImmediate(resolve));
    happened.length = 0;
    await application.close();
    const flow = happened.filter((what) => !/^(receipts|usage)/.test(what));
    expect(flow).toEqual([
      'source is asked to end',
      'source has ended',
      'project.eth is asked to end',
      'project.eth has ended',
      'sink.eth is asked to end',
      'sink.eth has ended',
    ]);
    expect(happened).toContain('receipts.table has ended');
    expect(stages().every((stage) => stage.endsWith(' ended'))).toBe(true);
  });

  it('starts no stage of a chain whose nodes come when the application is at its end', async () => {
    await application.init();
    await application.close();
    found({ rpcUrls: [], startHeight: null, codePins: new Map(), demoRpcUrl: null });
    await new Promise((resolve) => setImmediate(resolve));
    expect(stages()).toEqual(['receipts.table ended', 'usage.table ended', 'usage.rollup ended']);
  });

  it('publishes the status of a chain with the clock that it was given, and its end', async () => {
    await application.init();
    found({ rpcUrls: [], startHeight: null, codePins: new Map(), demoRpcUrl: null });
    await new Promise((resolve) => setImmediate(resolve));
    await application.close();
    await log.ensureTopics([ingestStatusTopic]);
    const records = await log.readKeyed(ingestStatusTopic, 0, 0n, 10);
    expect(records).toHaveLength(1);
    const status = decodeIngestStatus(records[0]!.value!)!;
    expect(status).toMatchObject({ chain: 'eth', startedAt: NOW, at: NOW, state: 'stopped' });
  });
});
