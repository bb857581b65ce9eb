import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';
import {
  emitting,
  launchesIn,
  legsIn,
  recordedTransactions,
  u64,
} from '#libs/chain/market-ports/solana/test/decoded.js';
import { recordedEvents } from '#libs/chain/market-ports/solana/test/recorded-events.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { pumpFun } from './decode.js';
import { PUMP_COMPLETE, PUMP_CREATE, PUMP_MIGRATION, PUMP_TRADE } from './events.js';

const { pump: events } = recordedEvents;

const { trades: others } = JSON.parse(
  readFileSync(join(process.cwd(), 'libs/chain/launchpads/pump-fun/fixtures/trades.json'), 'utf8'),
) as { trades: Record<string, string>[] };

/** Fields of a transaction's trade events, from whichever of the two lists of recordings holds it. */
function tradeEventsOf(signature: string): Record<string, string | boolean>[] {
  const listed = events.filter((each) => each.signature === signature && each.event === 'TradeEvent');
  if (listed.length > 0) return listed.map(({ fields }) => fields);
  const withoutEnd = (name: string) => name.replace(/_after$/, '');
  return others
    .filter((each) => each.signature === signature)
    .map((each) => Object.fromEntries(Object.entries(each).map(([name, value]) => [withoutEnd(name), value])));
}

const KEPT_TOKENS = 206_900_000_000_000n;
const VIRTUAL_TOKENS = 279_900_000_000_000n;
const LAMPORTS_PER_BYTE = 6_960n;
const ACCOUNT_HEAD = 128n;

const key = (n: number) => Buffer.alloc(32, n);
const text = (n: number) => encodeBase58(key(n));
const string = (value: string) => Buffer.concat([Buffer.from([value.length, 0, 0, 0]), Buffer.from(value)]);

describe('what pump.fun states', () => {
  it('about a curve after a trade are the reserves that its event states, and that its accounts hold', () => {
    let compared = 0;
    let held = 0;
    for (const [name, tx] of recordedTransactions()) {
      const found = legsIn(tx, pumpFun);
      const trades = tradeEventsOf(tx.signature);
      for (const [nth, leg] of found.entries()) {
        const buy = leg.inputMint === WRAPPED_SOL;
        const [tokensMoved, solMoved] = buy ? [leg.outputAmount, leg.inputAmount] : [leg.inputAmount, leg.outputAmount];
        const { spot, reserves } = leg.stated!;
        const [tokens, sol] = buy
          ? [
              { real: reserves!.output, virtual: spot!.numerator },
              { real: reserves!.input, virtual: spot!.denominator },
            ]
          : [
              { real: reserves!.input, virtual: spot!.denominator },
              { real: reserves!.output, virtual: spot!.numerator },
            ];
        const event = trades.find(
          ({ token_amount, sol_amount }) => BigInt(token_amount!) === tokensMoved && BigInt(sol_amount!) === solMoved,
        );
        if (event !== undefined) {
          const stated = (field: string) => BigInt(event[field]!);
          expect({ name, tokens, sol }).toEqual({
            name,
            tokens: { real: stated('real_token_reserves'), virtual: stated('virtual_token_reserves') },
            sol: { real: stated('real_sol_reserves'), virtual: stated('virtual_sol_reserves') },
          });
          compared++;
        }
        expect(tokens.virtual - tokens.real).toBe(VIRTUAL_TOKENS);
        // The last trade of the curve in its transaction leaves what the accounts hold after it.
        if (found.findLastIndex(({ pool }) => pool === leg.pool) !== nth) continue;
        const place = tx.keys.indexOf(leg.pool);
        const rent = BigInt(tx.lamportsAfter[place]!) - sol.real;
        const bytes = rent / LAMPORTS_PER_BYTE - ACCOUNT_HEAD;
        const fits = bytes >= 49n && bytes <= 256n && rent % LAMPORTS_PER_BYTE === 0n;
        expect({ name, rent, fits }).toEqual({ name, rent, fits: true });
        const vault = tx.tokensAfter.find(({ owner }) => owner === leg.pool)!;
        expect({ name, left: vault.amount - KEPT_TOKENS }).toEqual({ name, left: tokens.real });
        held++;
      }
    }
    expect([compared, held]).toEqual([12, 12]);
  });

  it('about launches: creation and how far a curve is after each trade', () => {
    const launches = new Map(
      [...recordedTransactions()].map(([name, tx]) => [name.split('__')[1]!, launchesIn(tx, pumpFun)] as const),
    );
    const created = [...launches.values()].flat().filter(({ step }) => step === 'created');
    const expected = events.filter(({ event }) => event === 'CreateEvent');
    expect(created).toHaveLength(3);
    for (const launch of created) expect(launch).toMatchObject({ step: 'created', curve: expect.any(String) });
    for (const { fields } of expected) {
      const launch = created.find(({ token }) => token === fields.mint);
      if (launch === undefined) continue;
      expect(launch).toMatchObject({ curve: fields.bonding_curve, creator: fields.creator ?? fields.user });
    }
    // (793,100,000 - 758,487,096.774194 tokens) of 793,100,000.
    expect(launches.get('2s393PSYYx')).toEqual([
      {
        step: 'created',
        token: '5dNYcCZXEGfGgbdUdq7MMR7KLsNJLLLgL83wLH8Fpump',
        curve: 'CQrqvWERJtEjw2rCCQV6EqfM6V6jzTuKjhJjKNFmGB7r',
        creator: '6xo262KbDXepWbF3vPTrFXysr5vJwk3mozBXmXk3hmMx',
      },
      {
        step: 'progress',
        token: '5dNYcCZXEGfGgbdUdq7MMR7KLsNJLLLgL83wLH8Fpump',
        curve: 'CQrqvWERJtEjw2rCCQV6EqfM6V6jzTuKjhJjKNFmGB7r',
        progressPpm: 43_642,
      },
    ]);
    expect([...launches.values()].flat().filter(({ step }) => step === 'progress')).toHaveLength(14);
  });

  it('about graduation: the last sale, then the move to a pool; and what a curve of another size has sold', () => {
    const trade = (left: bigint) => {
      const head = [key(7), u64(5n), u64(5n), Buffer.from([1]), key(8), u64(0n), u64(9n), u64(9n), u64(5n), u64(left)];
      return Buffer.concat([PUMP_TRADE.discriminator, ...head]);
    };
    const complete = Buffer.concat([PUMP_COMPLETE.discriminator, key(8), key(7), key(9), u64(0n)]);
    const accounts = 'global recipient mint curve'.split(' ');
    const buy = { data: '66063d1201daebea', accounts };
    const progress = (progressPpm: number, curve = 'curve') => ({
      step: 'progress',
      token: text(7),
      curve,
      progressPpm,
    });
    const graduated = { step: 'graduated', token: text(7), curve: text(9), pool: '' };
    const last = emitting(pumpFun, buy, [trade(0n), complete]);
    expect(launchesIn(last, pumpFun)).toEqual([progress(1_000_000), graduated]);
    expect(launchesIn(emitting(pumpFun, buy, [trade(793_100_000_000_001n)]), pumpFun)).toEqual([progress(0)]);
    expect(launchesIn(emitting(pumpFun, buy, [trade(0n), complete], true), pumpFun)).toEqual([]);
    const moved = [key(8), key(7), u64(1n), u64(2n), u64(3n), key(9), u64(0n), key(10)];
    const migration = Buffer.concat([PUMP_MIGRATION.discriminator, ...moved]);
    const migrate = { data: '9beae792ec9ea21e', accounts: [] };
    expect(launchesIn(emitting(pumpFun, migrate, [migration]), pumpFun)).toEqual([{ ...graduated, pool: text(10) }]);
    expect(launchesIn(emitting(pumpFun, migrate, [migration.subarray(0, 100)]), pumpFun)).toEqual([]);

    const names = [string('A'), string('B'), string('C')];
    const early = Buffer.concat([PUMP_CREATE.discriminator, ...names, key(7), key(9), key(8)]);
    const sizes = [key(11), u64(0n), u64(9n), u64(9n), u64(1_000n), u64(2_000n)];
    const size = Buffer.concat([early, ...sizes]);
    const create = { data: '181ec828051c0777', accounts };
    const created = { step: 'created', token: text(7), curve: text(9) };
    expect(launchesIn(emitting(pumpFun, create, [early]), pumpFun)).toEqual([{ ...created, creator: text(8) }]);
    const both = emitting(pumpFun, buy, [size, trade(250n)]);
    expect(launchesIn(both, pumpFun)).toEqual([{ ...created, creator: text(11) }, progress(750_000)]);
  });
});
