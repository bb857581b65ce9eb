import { Revert } from '#libs/devkit/chain-builder/abi-words.js';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { testSeed } from '#libs/devkit/testing/seeded-random.js';
import { RecordedStore } from '#libs/pipeline/state/lmdb/recorded-store.js';
import type { TokenRecord } from '#libs/protocol/blocks.js';
import { caughtUp, SourceHarness, seed } from './test/harness.js';
import { survivors } from './test/log-checks.js';
import { UnfinishedTokens } from './unfinished-tokens.js';

const said = (token: string, of: Partial<TokenRecord> = {}): TokenRecord => ({
  ...{ token, decimals: null, symbol: null, name: null, totalSupply: null, ...of },
});
const whole = { decimals: 18, symbol: 'A', name: 'A', totalSupply: 1n };

describe('unfinished tokens', () => {
  let now = 0;
  const open = (store = RecordedStore.inHeap<never>()) => new UnfinishedTokens(store, { firstMs: 10, now: () => now });
  beforeEach(() => {
    now = 0;
  });

  it('are asked after pauses that grow, what has its decimals more rarely', () => {
    const tokens = open();
    tokens.first(said('aa'));
    tokens.first(said('bb', { ...whole, name: null }));
    tokens.first(said('cc', whole));
    const asked: [number, string][] = [];
    for (; now < 10_000; now++) for (const token of tokens.next(9, () => true)) asked.push([now, token]);
    // 10, then 40, 160, 640 and 2,560 later; the other after 640, then 2,560 later.
    expect(asked).toEqual([
      ...[10, 50, 210].map((at) => [at, 'aa']),
      [640, 'bb'],
      [850, 'aa'],
      [3_200, 'bb'],
      [3_410, 'aa'],
    ]);
  });

  it('are asked a few at once, none that is not known yet, and no more once they said all', () => {
    const tokens = open();
    for (const token of ['aa', 'bb', 'cc', 'dd']) tokens.first(said(token));
    now = 10;
    expect(tokens.next(2, (token) => token !== 'aa')).toEqual(['bb', 'cc']);
    expect(tokens.tellsMore(said('dd'))).toBe(false);
    tokens.further(said('dd', whole), 7);
    expect(tokens.tellsMore(said('dd', whole))).toBe(false);
    expect(tokens.next(9, () => true)).toEqual(['aa']);
    expect(tokens.size).toBe(3);
  });

  it('lack again what blocks had told that are taken back', () => {
    const store = RecordedStore.inHeap<never>();
    const tokens = open(store);
    tokens.first(said('aa'));
    tokens.further(said('aa', { decimals: 18 }), 5);
    tokens.further(said('aa', whole), 7);
    expect(tokens.size).toBe(0);
    const back = (height: number) => store.takeAbove(height).map(({ table, id }) => tokens.takeBack(table, id));
    expect(back(6)).toEqual([true]);
    expect([tokens.tellsMore(said('aa', { decimals: 18 })), tokens.tellsMore(said('aa', { name: 'A' }))]).toEqual([
      false,
      true,
    ]);
    expect(back(4)).toEqual([true]);
    expect(tokens.tellsMore(said('aa', { decimals: 18 }))).toBe(true);
    expect(tokens.takeBack('pools', 'aa')).toBe(false);
  });

  it('are known of a store that is opened again', () => {
    const store = RecordedStore.inHeap<never>();
    open(store).first(said('aa'));
    now = 100;
    const tokens = open(store);
    expect(tokens.next(9, () => true)).toEqual([]);
    now = 110;
    expect(tokens.next(9, () => true)).toEqual(['aa']);
  });
});

describe(`a contract that answers later (seed ${seed})`, () => {
  let harness: SourceHarness;
  beforeEach(async () => {
    harness = await SourceHarness.open();
  });
  afterEach(() => harness.close());

  it('is recorded again by a block at the head, and from the start by another epoch', async () => {
    const chain = new ChainBuilder({ seed: testSeed() + 40 });
    chain.mine(60);
    const call = chain.call.bind(chain);
    let silent = true;
    const tokens = [...chain.head.state.tokens.values()].filter(({ spec }) => spec.behaviour === 'standard');
    const late = tokens[0]!.spec.address.toLowerCase();
    const DECIMALS = '0x313ce567';
    chain.call = (to, data, ...rest) => {
      if (to.toLowerCase() === chain.addresses.multicall3) throw new Revert('');
      if (silent && to.toLowerCase() === late && data.startsWith(DECIMALS)) throw new Revert('');
      return call(to, data, ...rest);
    };
    const rpc = await harness.serve(chain);
    const running = harness.start([rpc.url], { options: { askAgain: { firstMs: 1 } } });
    const toldOf = async (of = harness) =>
      survivors(await of.groups()).flatMap(({ tokens: records, height }) =>
        records
          .filter(({ token }) => `0x${token}` === late)
          .map(({ decimals, symbol }) => ({ decimals, symbol, height })),
      );
    await caughtUp(harness, running, chain);
    chain.mine(1);
    await caughtUp(harness, running, chain);
    const { symbol, decimals } = tokens[0]!.spec;
    const first = (await toldOf())[0]!;
    expect(await toldOf()).toEqual([{ decimals: null, symbol, height: expect.any(Number) }]);
    silent = false;
    while ((await toldOf()).length === 1) {
      chain.mine(1);
      await caughtUp(harness, running, chain);
    }
    const told = await toldOf();
    expect(told).toEqual([first, { decimals, symbol, height: expect.any(Number) }]);
    expect(told[1]!.height).toBeGreaterThan(60);
    await running.stop();
    // Another epoch, and another log, has it with the token.
    const later = await SourceHarness.open();
    try {
      await caughtUp(later, later.start([rpc.url]), chain);
      expect(await toldOf(later)).toEqual([{ ...first, decimals }]);
    } finally {
      await later.close();
    }
  });
});
