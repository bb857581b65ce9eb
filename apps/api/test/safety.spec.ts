import type { Hex } from '#libs/core/ids.js';
import { servedMarket } from '#libs/devkit/testing/market/market-harness.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { safetyRecord } from '#libs/devkit/testing/market/safety-record.js';
import { until } from '#libs/devkit/testing/until.js';
import type { LogWriter } from '#libs/pipeline/event-log/log.js';
import { encodeSafety, safetyKey, type TokenSafetyRecord } from '#libs/protocol/token-safety.js';
import { tokenSafetyTopic } from '#libs/protocol/topics.js';
import { TestClock } from '#libs/serve/live/test/test-clock.js';
import { type Frame, SocketClient } from '../src/live/transport/test/live-clients.js';
import { ApiHarness } from './api-harness.js';

/** What simulations found of tokens, in every row that shows it. */
describe('safety of tokens of an EVM chain', () => {
  const market = servedMarket(82, { groups: 60 });
  const last = market.facts.length - 1;
  let harness: ApiHarness;
  let writer: LogWriter;
  let tokens: Hex[];
  let honest: Hex;
  let honeypot: Hex;

  const state = async (token: Hex, record: TokenSafetyRecord): Promise<void> => {
    await writer.append([{ topic: tokenSafetyTopic, key: safetyKey('eth', token), value: encodeSafety(record) }]);
    await until('it is known', () => harness.reader.about.safetyOf(token)?.height === record.height);
  };
  const rows = async (path: string): Promise<Frame[]> => {
    const { status, body } = await harness.get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    return [body.data].flat();
  };
  const rowOf = async (path: string, token: Hex): Promise<Frame> => {
    const row = (await rows(path)).find(({ address }) => address === `0x${token}`);
    expect({ path, found: row !== undefined }).toEqual({ path, found: true });
    return row!;
  };

  beforeAll(async () => {
    harness = await ApiHarness.start(market, { live: { clock: new TestClock() } });
    await harness.advance(last, last);
    writer = await harness.live.log.openWriter('safety.eth');
    const naive = new NaiveMarket(market.chain, market.facts, last);
    const traded = new Set(
      market.facts.flatMap((facts) => (facts.kind === 'block' ? facts.trades : [])).map(({ base }) => base),
    );
    tokens = naive.tokens().flatMap(({ token }) => (traded.has(token) ? [token] : []));
    [honest, honeypot] = tokens as [Hex, Hex];
  });

  afterAll(async () => {
    await writer.close();
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  it('is null before anybody looked', async () => {
    const { safety, risks } = await rowOf(`/tokens/eth/0x${honeypot}`, honeypot);
    expect(risks).toBeNull();
    expect(safety).toMatchObject({ sellable: null, buyTaxPercent: null, mintable: null, checked: null, owner: null });
  });

  it('says what was found, at which block and what it rests on, in the token and in every list', async () => {
    await state(honest, { ...safetyRecord({ transferTaxBps: 0 }), height: 70 });
    const found = { sellable: false, mintable: true, blacklist: true, buyTaxBps: 250, sellTaxBps: null } as const;
    await state(honeypot, { ...safetyRecord({ ...found, renounced: false }), height: 71 });
    const { safety } = await rowOf(`/tokens/eth/0x${honeypot}`, honeypot);
    expect(safety).toMatchObject({
      ...{ buyable: true, sellable: false, transferable: true, mintable: true, freezable: true, blacklist: true },
      ...{ pausable: false, taxChangeable: false, proxy: false, renounced: false },
      ...{ buyTaxPercent: 2.5, sellTaxPercent: null, transferTaxPercent: 0 },
      owner: `0x${'ef'.repeat(20)}`,
    });
    expect(safety.checked).toMatchObject({ block: 71, hash: `0x${'ab'.repeat(32)}`, pool: `0x${'cd'.repeat(20)}` });
    expect(safety.checked.findings).toContainEqual({
      finding: 'sellable',
      basis: 'simulation',
      detail: 'it was tried',
    });
    expect(safety.checked.findings).toContainEqual({ finding: 'sellTaxBps', basis: null, detail: 'not shown' });
    const lists = [
      `/search?q=0x${honeypot}`,
      '/screener?chain=eth&limit=200',
      '/trending?chain=eth&limit=200&window=24h',
    ];
    for (const path of [`/tokens/eth/0x${honeypot}`, `/tokens?ids=eth:0x${honeypot}`, ...lists]) {
      const { risks } = await rowOf(path, honeypot);
      expect({ path, risks }).toEqual({ path, risks: ['not_sellable', 'taxed', 'mintable', 'blacklist'] });
    }
    expect((await rowOf('/screener?chain=eth&limit=200', honest)).risks).toEqual([]);
  });

  it('keeps from a list what cannot be sold, or everything else; what nobody looked at is in neither', async () => {
    const of = async (query: string) =>
      (await rows(`/screener?chain=eth&limit=200${query}`)).map(({ address }) => address);
    expect(await of('&sellable=true')).toEqual([`0x${honest}`]);
    expect(await of('&sellable=false')).toEqual([`0x${honeypot}`]);
    expect((await of('')).length).toBeGreaterThan(2);
    await state(tokens[2]!, { ...safetyRecord({}), height: 72 });
    expect(new Set(await of('&sellable=true'))).toEqual(new Set([`0x${honest}`, `0x${tokens[2]}`]));
    expect((await harness.get('/screener?chain=eth&sellable=perhaps')).status).toBe(400);
  });

  it('sends the whole token to those who follow it, when something else is found', async () => {
    const client = await SocketClient.open(`${harness.api.url}/ws`, { headers: { 'x-api-key': harness.key } });
    const snapshots = () => client.inbox.frames.filter(({ type }: Frame) => type === 'snapshot');
    client.send({ op: 'subscribe', id: 'a', channel: 'token', chain: 'eth', token: `0x${honest}` });
    await until('the first snapshot', () => snapshots().length === 1);
    expect(snapshots()[0]!.data).toMatchObject({ risks: [], safety: { pausable: false } });
    await state(honest, { ...safetyRecord({ pausable: true }), height: 73 });
    await until('the second snapshot', () => snapshots().length === 2);
    expect(snapshots()[1]!.data).toMatchObject({
      risks: ['pausable'],
      safety: { pausable: true, checked: { block: 73 } },
    });
    client.socket.terminate();
  });

  it('is what the document says', async () => {
    const document = await harness.documented(`/tokens/eth/0x${honeypot}`, 'TokenAnswer');
    expect(document.data.safety.sellable).toBe(false);
  });
});
