import { REPEAT_MS } from '#apps/api/src/pairs/pairs.channel.js';
import { tokenRow } from '#apps/api/src/tokens/token-row.js';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { Hex } from '#libs/core/ids.js';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { testSeed } from '#libs/devkit/testing/seeded-random.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import { RecordingOutlet } from '#libs/serve/live/test/recording-outlet.js';
import { readToken } from '#libs/serve/reader/read-token.js';
import { Instance } from './live/instance.js';
import { plain, RestAnswers } from './live/rest-answers.js';
import { settle } from './scheduler.js';
import { foldAll } from './world-checks.js';

/** What the live channels send by the clock, and what by the time of the blocks. */
const MINUTE = 60_000;

function marketOf(seed: number, blockTime: number): { answers: RestAnswers; blocks: FactsBlock[] } {
  const history = randomHistory(seed, { family: 'evm', groups: 60, retractions: 0, busiest: 4, blockTime });
  const { token, symbol, decimals } = history.reference.coin;
  const chain = { ...chainSpec('eth')!, wrappedNative: { token, symbol, decimals } };
  const facts = foldAll(history.groups);
  const blocks = facts.filter((group): group is FactsBlock => group.kind === 'block');
  return { answers: new RestAnswers(chain, facts), blocks };
}

/** Tokens that are known at a seq, those that trade most first. */
function knownTokens(blocks: readonly FactsBlock[], seq: number): Hex[] {
  const trades = new Map<Hex, number>();
  for (const block of blocks) {
    if (block.seq <= seq) for (const { token } of block.tokens) trades.set(token, trades.get(token) ?? 0);
    for (const { base } of block.trades) if (trades.has(base)) trades.set(base, trades.get(base)! + 1);
  }
  return [...trades].sort(([, a], [, b]) => b - a).map(([token]) => token);
}

type Frame = Record<string, unknown> & { type: string; seq: number; data: never };

async function subscribe(instance: Instance, params: object): Promise<{ take(): Promise<Frame[]> }> {
  const outlet = new RecordingOutlet();
  const connection = instance.hub.connect(outlet);
  connection.receive(JSON.stringify({ op: 'subscribe', id: 1, chain: 'eth', ...params }));
  const take = async (): Promise<Frame[]> => {
    await settle();
    return outlet.take() as Frame[];
  };
  const [subscribed, snapshot] = await take();
  expect([subscribed?.type, snapshot?.type]).toEqual(['subscribed', 'snapshot']);
  return { take };
}

it('a token is sent whole every minute, whether it trades or not, at the last seq of the log', async () => {
  const seed = testSeed(41);
  const { answers, blocks } = marketOf(seed, 20_000);
  const instance = new Instance(answers, 30);
  const token = knownTokens(blocks, 30).at(-1)!;
  const { take } = await subscribe(instance, { channel: 'token', token: `0x${token}` });
  let quiet = 0;
  for (let minute = 0; instance.reader.seq < instance.reader.last; minute++) {
    // Every other minute the log continues; the token seldom has a part in it.
    if (minute % 2 === 1) instance.reader.step(2);
    const ticks = (await take()).filter(({ type }) => type === 'snapshot');
    expect(ticks.filter(({ seq }) => seq !== instance.reader.seq)).toEqual([]);
    instance.clock.move(MINUTE - 1);
    expect(await take()).toEqual([]);
    instance.clock.move(1);
    const view = instance.reader.view();
    const state = await readToken(view, token);
    const frames = await take();
    expect({ seed, frames }).toEqual({
      seed,
      frames: [
        {
          ...{ type: 'snapshot', id: 1, channel: 'token', epoch: expect.any(String), seq: instance.reader.seq },
          ...{ data: plain(state && tokenRow(view, token, state)), meta: answers.metaAt(instance.reader.seq) },
        },
      ],
    });
    quiet++;
  }
  expect(quiet).toBeGreaterThan(10);
  instance.close();
  expect(instance.clock.waiting).toBe(0);
  expect(instance.errors).toEqual([]);
});

/** When each pool of a token is to be named: when it is created, and at a trade 5 minutes after it was named last. */
function namings(blocks: readonly FactsBlock[], token: Hex, from: number) {
  const start = blocks.filter(({ seq }) => seq <= from).at(-1)!.time;
  const named = new Map<Hex, number>();
  const due: { seq: number; pools: Hex[] }[] = [];
  const counts = { created: 0, first: 0, repeated: 0, kept: 0 };
  for (const { seq, time, pools, trades } of blocks) {
    if (seq <= from) continue;
    const now = new Set<Hex>();
    for (const { pool, token0, token1 } of pools) {
      if (token0 !== token && token1 !== token) continue;
      now.add(pool);
      counts.created++;
    }
    for (const { pool, base, quote } of trades) {
      if ((base !== token && quote !== token) || now.has(pool)) continue;
      const last = named.get(pool);
      if (time - (last ?? start) < REPEAT_MS) {
        counts.kept++;
        continue;
      }
      now.add(pool);
      counts[last === undefined ? 'first' : 'repeated']++;
    }
    for (const pool of now) named.set(pool, time);
    if (now.size > 0) due.push({ seq, pools: [...now].sort() });
  }
  return { due, counts };
}

it('a pool that keeps trading is named every 5 minutes of the time of the blocks, and not more often', async () => {
  const met = { created: 0, first: 0, repeated: 0, kept: 0 };
  for (let seed = testSeed(71), tries = 0; Object.values(met).some((count) => count < 3); seed++, tries++) {
    expect({ tries, met: tries < 60 ? null : met }).toEqual({ tries, met: null });
    const { answers, blocks } = marketOf(seed, 200_000);
    const from = 20;
    for (const token of knownTokens(blocks, from).slice(0, 3)) {
      const instance = new Instance(answers, from);
      const { take } = await subscribe(instance, { channel: 'pairs', token: `0x${token}` });
      const frames: { seq: number; pools: Hex[] }[] = [];
      while (instance.reader.seq < instance.reader.last) {
        instance.reader.step(1);
        // Time that passes without blocks changes nothing.
        instance.clock.move(REPEAT_MS);
        for (const { type, seq, data } of await take()) {
          expect(type).toBe('pair');
          frames.push({ seq, pools: (data as { address: string }[]).map(({ address }) => address.slice(2)).sort() });
        }
      }
      const { due, counts } = namings(blocks, token, from);
      expect({ seed, token, frames }).toEqual({ seed, token, frames: due });
      for (const [what, count] of Object.entries(counts)) met[what as keyof typeof met] += count;
      instance.close();
      expect(instance.errors).toEqual([]);
    }
  }
});

it('a channel that cannot load gets the code of the REST route; its id is free, and it loads when it can', async () => {
  const seed = testSeed(43);
  const { answers, blocks } = marketOf(seed, 20_000);
  const instance = new Instance(answers, 30);
  const token = `0x${knownTokens(blocks, 30)[0]!}`;
  const wallet = `0x${blocks.flatMap(({ trades }) => trades)[0]!.wallet}`;
  const params: Record<string, object> = {
    ...{ trades: { token }, candles: { token }, token: { token }, pairs: { token }, holders: { token } },
    ...{ traders: { token }, prices: { tokens: [token] }, wallet: { wallet, balances: true } },
    ...{ launchpad: { board: 'new' }, trending: {} },
  };
  expect(Object.keys(params).sort()).toEqual([...instance.channelNames].sort());
  instance.reader.away = 'a spec says so';
  const outlet = new RecordingOutlet();
  const connection = instance.hub.connect(outlet);
  for (const [channel, given] of Object.entries(params)) {
    connection.receive(JSON.stringify({ op: 'subscribe', id: channel, channel, chain: 'eth', ...given }));
    await settle();
    expect(outlet.take()).toEqual([
      { type: 'error', id: channel, code: 'upstream_unavailable', message: expect.stringContaining('a spec says so') },
    ]);
  }
  expect(instance.hub.stats()).toMatchObject({ subscriptions: 0, keys: 0 });
  instance.reader.back();
  const readable = Object.entries(params).filter(([channel]) => channel !== 'launchpad' && channel !== 'trending');
  for (const [channel, given] of readable) {
    connection.receive(JSON.stringify({ op: 'subscribe', id: channel, channel, chain: 'eth', ...given }));
    await settle();
    expect(outlet.take().map(({ type, id }) => [type, id])).toEqual([
      ['subscribed', channel],
      ['snapshot', channel],
    ]);
  }
  // Open ones keep what they have and say nothing while the chain is away.
  instance.reader.away = 'again';
  instance.clock.move(MINUTE);
  await settle();
  expect(outlet.take()).toEqual([]);
  instance.reader.back();
  await settle();
  expect(outlet.take().map(({ type, id }) => [type, id])).toContainEqual(['snapshot', 'token']);
  instance.close();
  expect(instance.errors).toEqual([]);
});
