import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { SolanaInstruction } from '#libs/chain/chains/solana/instruction.js';
import { TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { readSolanaTransaction } from '#libs/chain/chains/solana/read-transaction.js';
import { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { decodeBase58, encodeBase58 } from '#libs/core/base58.js';
import { orcaWhirlpool } from './decode.js';
import { addressOf, StructWriter } from './test/accounts.js';

interface Recorded {
  name: string;
  answer: { meta: { err: unknown; logMessages: string[] } };
}
const fixtures = 'libs/chain/venues/orca-whirlpool/fixtures/swaps.json.gz';
const recorded: Recorded[] = JSON.parse(gunzipSync(readFileSync(join(process.cwd(), fixtures))).toString());
const TRADED = 'e1ca49af932ba096';

describe('what Orca Whirlpool states about its pools', () => {
  it('is the vaults and the spot of its own event, in every recorded swap', () => {
    let checked = 0;
    for (const { answer } of recorded) {
      const tx = readSolanaTransaction({ ...answer });
      for (const [index, { program }] of tx.instructions.entries()) {
        if (program !== orcaWhirlpool.program) continue;
        for (const { pool, inputAmount, outputAmount, stated } of orcaWhirlpool.legs(tx, index)) {
          const changes = stated!.vaults!.map((vault) => {
            const at = (list: SolanaTransaction['tokensAfter']) =>
              list.find((balance) => tx.keys[balance.account] === vault)!.amount;
            return at(tx.tokensAfter) - at(tx.tokensBefore);
          });
          const moved = answer.meta.err === null ? [-outputAmount, inputAmount] : [0n, 0n];
          expect(changes.toSorted((a, b) => Number(a - b))).toEqual(moved);
          const event = answer.meta.logMessages
            .filter((line) => line.startsWith('Program data: '))
            .map((line) => Buffer.from(line.slice(14), 'base64'))
            .find((data) => data.subarray(0, 8).toString('hex') === TRADED)!;
          expect(encodeBase58(event.subarray(8, 40))).toBe(pool);
          const wide = (at: number): bigint => event.readBigUInt64LE(at) | (event.readBigUInt64LE(at + 8) << 64n);
          const aToB = event[40] === 1;
          const [before, after] = [wide(41) ** 2n, wide(57) ** 2n];
          const one = 1n << 128n;
          const spot = aToB ? { numerator: after, denominator: one } : { numerator: one, denominator: after };
          expect(stated!.spot).toEqual(spot);
          expect([event.readBigUInt64LE(73), event.readBigUInt64LE(81)]).toEqual([inputAmount, outputAmount]);
          // What was paid less the fee is between the prices before and after, the output cut to a whole unit.
          const net = inputAmount - event.readBigUInt64LE(105) - event.readBigUInt64LE(113);
          const [first, last] = aToB ? [before, after] : [(one * one) / before, (one * one) / after];
          expect(outputAmount * one).toBeLessThanOrEqual(first * net);
          expect((outputAmount + 1n) * one).toBeGreaterThanOrEqual(last * (net - 1n));
          checked++;
        }
      }
    }
    expect(checked).toBe(2);
  });

  it('names two pools and their spots for two hops in one instruction', () => {
    const keys = 'one two p1 p2 p3 own1 v1 v2 v3 v4 own2 trader'.split(' ').map((name) => addressOf(name));
    const names = ['one', 'two', 'm1', 'm2', 'm3', 'p1', 'p2', 'p3', 'own1', 'v1', 'v2', 'v3', 'v4', 'own2', 'trader'];
    const all = [...new Set([...keys, ...names.map((name) => addressOf(name))])];
    const at = (name: string): number => all.indexOf(addressOf(name));
    const transfer = (source: string, mint: string, destination: string, amount: bigint, inner: number) =>
      new SolanaInstruction(
        TOKEN_PROGRAM,
        [source, mint, destination, 'trader'].map(at),
        new StructWriter().int(12, 8).int(amount, 64).int(6, 8).done(),
        0,
        inner,
        2,
      );
    const traded = (pool: string, aToB: boolean, sqrtPrice: bigint) => {
      const data = new StructWriter()
        .hex(TRADED)
        .bytes(addressOf(pool))
        .int(aToB ? 1 : 0, 8);
      data
        .int(sqrtPrice + 1n, 128)
        .int(sqrtPrice, 128)
        .zeros(48);
      return `Program data: ${Buffer.from(data.done()).toString('base64')}`;
    };
    const legs = (logs: string[]) =>
      orcaWhirlpool.legs(
        new SolanaTransaction(
          '',
          1,
          false,
          all,
          1,
          [
            new SolanaInstruction(
              orcaWhirlpool.program,
              names.map(at),
              decodeBase58(encodeBase58(Buffer.from('ba8fd11dfe02c275', 'hex')))!,
              0,
              -1,
              1,
            ),
            transfer('own1', 'm1', 'v1', 1n, 0),
            transfer('v2', 'm2', 'v3', 2n, 1),
            transfer('v4', 'm3', 'own2', 3n, 2),
          ],
          0n,
          [],
          [],
          [],
          [],
          logs,
        ),
        0,
      );
    const call = `Program ${orcaWhirlpool.program} invoke [1]`;
    const [first, second] = [3n << 64n, 5n << 64n];
    const stated = legs([call, traded('one', true, first), traded('two', false, second)]).map((leg) => leg.stated);
    expect(stated).toEqual([
      { vaults: ['v1', 'v2'].map(addressOf), spot: { numerator: first ** 2n, denominator: 1n << 128n } },
      { vaults: ['v3', 'v4'].map(addressOf), spot: { numerator: 1n << 128n, denominator: second ** 2n } },
    ]);
    const cut = legs([call, traded('two', false, second), 'Log truncated', traded('one', true, first)]);
    expect(cut.map((leg) => leg.stated!.spot)).toEqual([undefined, stated[1]!.spot]);
    expect(legs([call, traded('one', true, 0n)])[0]!.stated!.spot).toBeUndefined();
  });
});
