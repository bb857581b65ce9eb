import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { Hex } from '#libs/core/ids.js';
import { type AnvilProcess, startAnvil } from '#libs/devkit/devnet/evm/anvil-process.js';
import { Zoo, type ZooAnimal } from '#libs/devkit/devnet/evm/zoo/open-zoo.js';
import { specimens } from '#libs/devkit/devnet/evm/zoo/specimens.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { servedRecord } from '#libs/pipeline/epochs/served-epoch.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import { SafetyBook } from '#libs/pipeline/safety/safety-book.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { decodeSafety, safetyKey, type TokenSafetyRecord } from '#libs/protocol/token-safety.js';
import { blocksTopic, epochsTopic, tokenAsksTopic, tokenSafetyTopic } from '#libs/protocol/topics.js';
import { BlocksOf } from '../metadata/test/blocks.js';
import type { ProbeNodes } from './safety-stage.js';
import { SafetyStage } from './safety-stage.js';

const eth = chainSpec('eth')!;
const topic = blocksTopic('eth', 0);
const blocks = new BlocksOf('eth');
const idOf = (address: string): Hex => address.slice(2).toLowerCase();
const HOUR_MS = 3_600_000;

describe('safety of tokens, from the blocks to the topic', () => {
  let anvil: AnvilProcess;
  let animals: ZooAnimal[];
  let coin: Hex;
  let dir: string;
  let log: EventLog;
  let writer: LogWriter;
  let asked = 0;
  let now = 1_800_000_000_000;
  let fails: RpcError | null = null;

  const nodes = async (): Promise<ProbeNodes> => {
    const pool = new RpcPool({ urls: [`http://127.0.0.1:${anvil.port}`], chainId: 1 });
    return {
      close: () => pool.close(),
      use: (work, signal) => {
        asked++;
        return fails === null ? pool.use(work, signal) : Promise.reject(fails);
      },
    };
  };
  const poolOf = ({ token, pair }: ZooAnimal): PoolRecord => {
    const [token0, token1] = [idOf(token), coin].sort() as [Hex, Hex];
    const kind = 'constant-product' as const;
    return {
      pool: idOf(pair),
      venue: 'uniswap-v2',
      kind,
      token0,
      token1,
      feePpm: 3_000,
      tickSpacing: 0,
      created: true,
    };
  };
  const append = (seq: number, pools: readonly PoolRecord[]): Promise<void> => {
    const group = { ...blocks.block(seq, seq, [], []), pools: [...pools] };
    return writer.append([{ topic, seq, value: encodeBlocksGroup(group) }]);
  };
  const recordOf = async ({ token }: ZooAnimal): Promise<TokenSafetyRecord | null> => {
    const value = (await log.readCompacted(tokenSafetyTopic)).get(safetyKey('eth', idOf(token)));
    return value === undefined ? null : decodeSafety(value);
  };
  const found = async (animal: ZooAnimal, looks: number): Promise<TokenSafetyRecord> => {
    await until(`${animal.specimen.name} was looked at`, async () => ((await recordOf(animal))?.looks ?? 0) >= looks);
    return (await recordOf(animal))!;
  };
  /** Runs a stage of its own while something is done. */
  const running = async (work: (stage: SafetyStage) => Promise<void>): Promise<void> => {
    const stage = new SafetyStage({ log, chain: eth, nodes, now: () => now, pollMs: 10, paceMs: 1 });
    const ended = new AbortController();
    const run = stage.run(ended.signal);
    await work(stage).finally(() => ended.abort());
    await run;
  };
  const named = (contract: string): ZooAnimal => animals.find(({ specimen }) => specimen.contract === contract)!;

  beforeAll(async () => {
    anvil = await startAnvil({
      port: 0,
      args: ['--chain-id', '1', '--accounts', '1', '--balance', '1000000', '--no-mining'],
    });
    const opened = await Zoo.open(anvil.rpc, specimens(43, new SeededRandom(7)));
    animals = opened.animals;
    coin = idOf(opened.zoo.coin);
    dir = mkdtempSync(join(tmpdir(), 'tidepool-safety-'));
    log = await openEmbeddedLog({ dir });
    writer = await log.openWriter('source.eth.e0');
    await log.ensureTopics([topic, epochsTopic, tokenSafetyTopic]);
    await writer.append([
      { topic, seq: 0, value: encodeBlocksGroup(blocks.epoch()) },
      servedRecord('eth', { epoch: 0, foldVersion: 1 }),
    ]);
  }, 60_000);

  afterAll(async () => {
    await log?.close();
    await anvil?.stop();
    await removeFolder(dir);
  });

  it('states of each token that gets a pool what was found, with its block', async () => {
    await append(1, [named('ZooMintable'), named('ZooHoneypot')].map(poolOf));
    await running(async () => {
      const mintable = await found(named('ZooMintable'), 1);
      expect(mintable.findings.mintable).toMatchObject({ value: true, basis: 'simulation' });
      expect(mintable.findings.sellable.value).toBe(true);
      expect(mintable.pool).toBe(idOf(named('ZooMintable').pair));
      const block = await anvil.rpc.call<{ number: Hex; hash: Hex }>('eth_getBlockByNumber', ['latest', false]);
      expect([mintable.height, mintable.hash]).toEqual([Number(block.number), idOf(block.hash)]);
      expect((await found(named('ZooHoneypot'), 1)).findings.sellable.value).toBe(false);
      await append(2, [poolOf(named('ZooPausable'))]);
      expect((await found(named('ZooPausable'), 1)).findings.pausable.value).toBe(true);
    });
  }, 60_000);

  it('looks again when the time has come, also after a restart, and not before', async () => {
    const before = asked;
    await running(async (stage) => {
      await until('the pools are known', () => stage.status().tokens >= 3);
      await append(3, [poolOf(named('ZooTether'))]);
      await found(named('ZooTether'), 1);
    });
    // The new one, and the coin of the pairs at most: nothing that was found is asked again.
    expect(asked - before).toBeLessThanOrEqual(2);
    expect((await recordOf(named('ZooMintable')))!.looks).toBe(1);
    await anvil.rpc.call('anvil_setStorageAt', [
      named('ZooMintable').token,
      `0x${'4'.padStart(64, '0')}`,
      `0x${'0'.repeat(64)}`,
    ]);
    await anvil.rpc.call('evm_mine');
    now += HOUR_MS;
    await running(async () => {
      const again = await found(named('ZooMintable'), 2);
      expect(again.foundAt).toBe(now);
      expect([again.findings.mintable.value, again.findings.renounced.value]).toEqual([false, true]);
    });
  }, 60_000);

  it('looks first at what a client asked for', async () => {
    const book = new SafetyBook({ log, records: false, pollMs: 5, now: () => now }, 'spec');
    const ended = new AbortController();
    const asking = book.run(ended.signal);
    const target = named('ZooTaxSetter');
    book.of('eth').ask(idOf(target.token));
    await until('it was asked for', async () =>
      (await log.readCompacted(tokenAsksTopic)).has(safetyKey('eth', idOf(target.token))),
    );
    const others = animals.filter((animal) => /ZooTax|ZooCooldown|ZooRebase/.test(animal.specimen.contract));
    await running(async () => {
      await append(4, others.map(poolOf));
      expect((await found(target, 1)).findings.taxChangeable.value).toBe(true);
      await until('the book has it', () => book.of('eth').summaryOf(idOf(target.token)) !== null);
    });
    expect((await log.readCompacted(tokenAsksTopic)).size).toBe(0);
    book.of('eth').ask(idOf(target.token));
    ended.abort();
    await asking;
    expect((await log.readCompacted(tokenAsksTopic)).size).toBe(0);
  }, 60_000);

  it('keeps what was found while nodes fail, and goes on when they answer', async () => {
    now += 24 * HOUR_MS;
    const before = await recordOf(named('ZooHoneypot'));
    fails = new RpcError('transport', 'no answer');
    const tried = asked;
    await running(async () => until('the nodes were asked', () => asked > tried + 2));
    expect(await recordOf(named('ZooHoneypot'))).toEqual(before);
    fails = null;
    await running(async () => {
      expect((await found(named('ZooHoneypot'), before!.looks + 1)).findings.sellable.value).toBe(false);
    });
  }, 60_000);
});
