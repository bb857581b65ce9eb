import { emitting, launchesIn, legsIn, u64 } from '#libs/chain/market-ports/solana/test/decoded.js';
import { recordedEvents } from '#libs/chain/market-ports/solana/test/recorded-events.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { raydiumLaunchlab } from './decode.js';
import { LAUNCHLAB_CREATE, LAUNCHLAB_TRADE } from './events.js';

const { events } = recordedEvents;

const accounts = 'payer authority global platform pool ub uq vb vq BASE QUOTE'.split(' ');
const buy = { data: 'faea0d7bd59c13ec', accounts };
const key = (n: number) => Buffer.alloc(32, n);
const Q64 = 2n ** 64n;

interface Trade {
  sell: bigint;
  virtualBase: bigint;
  virtualQuote: bigint;
  base: bigint;
  quote: bigint;
  sells?: boolean;
  status?: number;
}

function trade({ sell, virtualBase, virtualQuote, base, quote, sells = false, status = 0 }: Trade): Uint8Array {
  const amounts = [sell, virtualBase, virtualQuote, 0n, 0n, base, quote, 7n, 8n, 0n, 0n, 0n, 0n].map(u64);
  return Buffer.concat([LAUNCHLAB_TRADE.discriminator, key(5), ...amounts, Buffer.from([sells ? 1 : 0, status, 1])]);
}

const statedBy = (event: Trade) => legsIn(emitting(raydiumLaunchlab, buy, [trade(event)]), raydiumLaunchlab)[0]!.stated;
const progressOf = (event: Trade) =>
  launchesIn(emitting(raydiumLaunchlab, buy, [trade(event)]), raydiumLaunchlab).map((launch) =>
    launch.step === 'progress' ? launch.progressPpm : launch,
  );

describe('what Raydium LaunchLab states', () => {
  it('after recorded trades are price and reserves of the event, in every form of it', () => {
    const trades = events.filter(({ test }) => test.includes('launchpad'));
    expect(trades).toHaveLength(2);
    for (const { fields, bytes } of trades) {
      const number = (name: string) => BigInt(fields[name]!);
      const tx = emitting(raydiumLaunchlab, buy, [Buffer.from(bytes, 'hex').subarray(8)]);
      const [base, quote] = [number('real_base_after'), number('real_quote_after')];
      expect(legsIn(tx, raydiumLaunchlab)[0]!.stated).toEqual({
        vaults: ['vb', 'vq'],
        reserves: { input: quote, output: number('total_base_sell') - base },
        spot: { numerator: number('virtual_base') - base, denominator: number('virtual_quote') + quote },
      });
      // The curve raises 85 SOL in all.
      const progressPpm = Number((quote * 1_000_000n) / 85_000_000_000n);
      expect(launchesIn(tx, raydiumLaunchlab)).toEqual([
        { step: 'progress', token: 'BASE', curve: expect.any(String), progressPpm: expect.any(Number) },
      ]);
      const launch = launchesIn(tx, raydiumLaunchlab)[0]!;
      expect(Math.abs((launch.step === 'progress' ? launch.progressPpm : 0) - progressPpm)).toBeLessThanOrEqual(1);
    }
  });

  it('of a fixed and of a linear price follow from these', () => {
    const fixed = { sell: 1_000n, virtualBase: 1_000n, virtualQuote: 500n, base: 200n, quote: 100n };
    expect(statedBy(fixed)).toMatchObject({
      spot: { numerator: 1_000n, denominator: 500n },
      reserves: { input: 100n, output: 800n },
    });
    expect(statedBy({ ...fixed, sells: true })).toMatchObject({
      spot: { numerator: 500n, denominator: 1_000n },
      reserves: { input: 800n, output: 100n },
    });
    expect(progressOf(fixed)).toEqual([200_000]);
    // One raw unit of quote more for each token sold: 1000 * 1000 / 2 in all.
    const linear = { sell: 1_000n, virtualBase: Q64 - 1n, virtualQuote: 0n, base: 100n, quote: 5_000n };
    expect(statedBy({ ...linear, sells: true })).toMatchObject({
      spot: { numerator: (Q64 - 1n) * 100n, denominator: Q64 },
      reserves: { input: 900n, output: 5_000n },
    });
    expect(progressOf(linear)).toEqual([10_000]);
    expect(statedBy({ ...linear, base: 0n, quote: 0n })).toEqual({
      vaults: ['vb', 'vq'],
      reserves: { input: 0n, output: 1_000n },
    });
    expect(progressOf({ ...linear, base: 1_000n, quote: 500_000n })).toEqual([1_000_000]);
    expect(progressOf({ ...linear, status: 1 })).toEqual([1_000_000]);
  });

  it('about launches are creation by its event and graduation by the instruction that moves the funds', () => {
    const create = Buffer.concat([LAUNCHLAB_CREATE.discriminator, key(5), key(6), key(7)]);
    const created = { step: 'created', token: 'mint', curve: encodeBase58(key(5)), creator: encodeBase58(key(6)) };
    const places = 'payer creator global platform authority pool mint QUOTE'.split(' ');
    for (const data of ['afaf6d1f0d989bed', '4399af27da102620', '25be7ede2c9aab11']) {
      const tx = emitting(raydiumLaunchlab, { data, accounts: places }, [create]);
      expect(launchesIn(tx, raydiumLaunchlab)).toEqual([created]);
    }
    const list = (count: number, named: Record<number, string>) =>
      Array.from({ length: count }, (_, nth) => named[nth] ?? `other${nth}`);
    const graduated = { step: 'graduated', token: 'mint', curve: 'curve', pool: 'pool' };
    const toAmm = { data: 'cf52c091fecf91df', accounts: list(32, { 1: 'mint', 13: 'pool', 23: 'curve' }) };
    const toCpmm = { data: '885cc8671cda908c', accounts: list(28, { 1: 'mint', 5: 'pool', 17: 'curve' }) };
    for (const migration of [toAmm, toCpmm]) {
      expect(launchesIn(emitting(raydiumLaunchlab, migration, []), raydiumLaunchlab)).toEqual([graduated]);
      expect(launchesIn(emitting(raydiumLaunchlab, migration, [], true), raydiumLaunchlab)).toEqual([]);
    }
    const short = emitting(raydiumLaunchlab, buy, [create.subarray(0, 50), trade({ ...ZERO }).subarray(0, 90)]);
    expect([launchesIn(short, raydiumLaunchlab), legsIn(short, raydiumLaunchlab)]).toEqual([[], []]);
  });
});

const ZERO: Trade = { sell: 0n, virtualBase: 0n, virtualQuote: 0n, base: 0n, quote: 0n };
