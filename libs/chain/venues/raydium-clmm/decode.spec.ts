import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { clmmPrices } from '#libs/chain/amm/q64/tick-price.js';
import { readSolanaTransaction } from '#libs/chain/chains/solana/read-transaction.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import type { SolanaLeg } from '#libs/chain/market-ports/solana/venue.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { raydiumClmm } from './decode.js';

interface Recorded {
  name: string;
  answer: { meta: { err: unknown; logMessages: string[] } };
}
const fixtures = 'libs/chain/venues/raydium-clmm/fixtures/swaps.json.gz';
const recorded: Recorded[] = JSON.parse(gunzipSync(readFileSync(join(process.cwd(), fixtures))).toString());

const readWith = ({ answer }: Recorded, logMessages = answer.meta.logMessages): SolanaTransaction =>
  readSolanaTransaction({ ...answer, meta: { ...answer.meta, logMessages } });

const legsOf = (tx: SolanaTransaction): SolanaLeg[] =>
  tx.instructions.flatMap(({ program }, index) => (program === raydiumClmm.program ? raydiumClmm.legs(tx, index) : []));

/** Fields of the program's SwapEvent by their offsets in its source; null for other data. */
function eventOf(line: string) {
  if (!line.startsWith('Program data: ')) return null;
  const data = Buffer.from(line.slice(14), 'base64');
  // Raydium's other programs log a shorter event of the same name.
  if (data.subarray(0, 8).toString('hex') !== '40c6cde8260871e2' || data.length < 205) return null;
  return {
    pool: encodeBase58(data.subarray(8, 40)),
    amount0: data.readBigUInt64LE(136),
    amount1: data.readBigUInt64LE(152),
    zeroForOne: data[168] === 1,
    sqrtPrice: data.readBigUInt64LE(169) | (data.readBigUInt64LE(177) << 64n),
    liquidity: data.readBigUInt64LE(185) | (data.readBigUInt64LE(193) << 64n),
    tick: data.readInt32LE(201),
  };
}

const balanceChange = (tx: SolanaTransaction, account: string): bigint => {
  const at = (list: SolanaTransaction['tokensAfter']) =>
    list.find((balance) => tx.keys[balance.account] === account)!.amount;
  return at(tx.tokensAfter) - at(tx.tokensBefore);
};

const two = recorded.find(({ name }) => name.includes('5XYf7V6rNj'))!;

describe('what Raydium CLMM states about its pools', () => {
  it('is the vaults and the spot of its own event, in every recorded swap', () => {
    let checked = 0;
    for (const each of recorded) {
      const tx = readWith(each);
      const events = each.answer.meta.logMessages.map(eventOf).filter((event) => event !== null);
      for (const leg of legsOf(tx)) {
        const { pool, inputAmount, outputAmount, stated } = leg;
        const moved = each.answer.meta.err === null ? [inputAmount, -outputAmount] : [0n, 0n];
        const changes = stated!.vaults!.map((vault) => balanceChange(tx, vault));
        expect({ name: each.name, changes }).toEqual({ name: each.name, changes: moved });
        const event = events.find((candidate) => candidate.pool === pool)!;
        const amounts = [event.amount0, event.amount1];
        expect(event.zeroForOne ? amounts : amounts.reverse()).toEqual([inputAmount, outputAmount]);
        expect(event.sqrtPrice).toBeGreaterThanOrEqual(clmmPrices.at(event.tick));
        expect(event.sqrtPrice).toBeLessThan(clmmPrices.at(event.tick + 1));
        const price = { numerator: event.sqrtPrice ** 2n, denominator: 1n << 128n };
        const inverse = { numerator: price.denominator, denominator: price.numerator };
        expect(stated!.spot).toEqual(event.zeroForOne ? price : inverse);
        // Of the price that was paid, the spot after differs by the fee, at most 4 %, and by what the input moved: less
        // than twice its share in the virtual reserve of the liquidity in range.
        const { numerator, denominator } = stated!.spot!;
        const spotOverPaid = Number((numerator * inputAmount * 1_000_000n) / (denominator * outputAmount)) / 1e6;
        const { liquidity, sqrtPrice, zeroForOne } = event;
        const reserve = zeroForOne ? (liquidity << 64n) / sqrtPrice : (liquidity * sqrtPrice) >> 64n;
        const impact = Number((2_000_000n * inputAmount) / reserve) / 1e6;
        expect(spotOverPaid).toBeGreaterThan(0.9999 - impact);
        expect(spotOverPaid).toBeLessThan(1.042);
        checked++;
      }
    }
    expect(checked).toBe(14);
  });

  it('is told from the events of other calls and other programs', () => {
    const events = two.answer.meta.logMessages.map(eventOf).filter((event) => event !== null);
    // One of the three was logged by another program with the same layout.
    expect(events).toHaveLength(3);
    const legs = legsOf(readWith(two));
    expect(legs.map(({ pool }) => pool)).toEqual(events.slice(1).map(({ pool }) => pool));
    // The two calls with their lines exchanged: each looks into its own call, where the other's pool is.
    const lines = two.answer.meta.logMessages;
    const [, first, second] = lines.flatMap((line, at) => (eventOf(line) === null ? [] : [at])) as [
      number,
      number,
      number,
    ];
    const exchanged = lines.with(first, lines[second]!).with(second, lines[first]!);
    expect(legsOf(readWith(two, exchanged)).map(({ stated }) => stated!.spot)).toEqual([undefined, undefined]);
    // What a program writes into its log as text ends no call.
    const spoken = lines.toSpliced(first, 0, `Program log: Program ${raydiumClmm.program} success`);
    expect(legsOf(readWith(two, spoken)).map(({ stated }) => stated)).toEqual(legs.map(({ stated }) => stated));
    // A call below the swap that logs the same event says nothing about the swap.
    const below = lines.toSpliced(first, 1, 'Program X invoke [3]', lines[first]!, 'Program X success');
    expect(legsOf(readWith(two, below)).map(({ stated }) => stated!.spot)).toEqual([undefined, legs[1]!.stated!.spot]);
  });

  it('lacks the spot where the log is cut, and keeps the vaults', () => {
    const lines = two.answer.meta.logMessages;
    const [, first, second] = lines.flatMap((line, at) => (eventOf(line) === null ? [] : [at])) as [
      number,
      number,
      number,
    ];
    const [one, other] = legsOf(readWith(two)).map(({ stated }) => stated!);
    const spots = (log: string[]) => legsOf(readWith(two, log)).map(({ stated }) => stated!.spot);
    expect(spots(lines.slice(0, first))).toEqual([undefined, undefined]);
    expect(spots(lines.slice(0, first + 1))).toEqual([one!.spot, undefined]);
    // After the cut, shorter lines are still logged: whose they are is not known.
    expect(spots(lines.with(first + 1, 'Log truncated'))).toEqual([one!.spot, undefined]);
    expect(spots(lines.with(second - 1, 'Log truncated'))).toEqual([one!.spot, undefined]);
    expect(spots([])).toEqual([undefined, undefined]);
    expect(legsOf(readWith(two, [])).map(({ stated }) => stated!.vaults)).toEqual([one!.vaults, other!.vaults]);
    const short = lines.with(first, lines[first]!.slice(0, 14 + 200));
    expect(spots(short)).toEqual([undefined, other!.spot]);
  });
});
