import { createRequire } from 'node:module';
import { binPrice } from '#libs/chain/amm/bin-price.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { readRecorded, recordedTransactions } from '#libs/devkit/testing/solana/recorded.js';
import { meteoraDlmm } from './decode.js';

const require = createRequire(import.meta.url);
const sdk = require('@meteora-ag/dlmm');
const { Connection } = require('@solana/web3.js');
const { events } = sdk.createProgram(new Connection('http://127.0.0.1:1')).coder;

/** Swap events of a transaction by pool, read by the package's own coder; in order. */
function swapEvents(tx: ReturnType<typeof readRecorded>): { pool: string; endBin: number }[] {
  const found: { pool: string; endBin: number }[] = [];
  for (const { program, data } of tx.instructions) {
    if (program !== meteoraDlmm.program || data.length < 16) continue;
    const event = events.decode(Buffer.from(data.subarray(8)).toString('base64'));
    if (event === null || !/^swap/i.test(event.name)) continue;
    found.push({ pool: encodeBase58(event.data.lbPair.toBytes()), endBin: event.data.endBinId });
  }
  return found;
}

describe('what Meteora DLMM swaps state', () => {
  const swaps = recordedTransactions('solana-transactions.json.gz')
    .filter(({ name }) => name.includes('meteora_dlmm'))
    .map(({ name, answer }) => ({ name, tx: readRecorded(answer) }));

  it('is the end bin of the event and the two vaults, whose balances moved by the leg, in every recorded swap', () => {
    let legs = 0;
    for (const { name, tx } of swaps) {
      const expected = swapEvents(tx);
      const seen: { pool: string; endBin: number }[] = [];
      const moved = new Map<string, bigint>();
      const add = (vault: string, amount: bigint) => moved.set(vault, (moved.get(vault) ?? 0n) + amount);
      for (let index = 0; index < tx.instructions.length; index++) {
        if (tx.instructions[index]!.program !== meteoraDlmm.program) continue;
        for (const leg of meteoraDlmm.legs(tx, index)) {
          const { vaults, bin, spot, reserves } = leg.stated!;
          expect({ name, spot, reserves }).toEqual({ name, spot: undefined, reserves: undefined });
          seen.push({ pool: leg.pool, endBin: bin! });
          legs++;
          if (tx.failed || tx.tokensAfter.length === 0) continue;
          for (const vault of vaults!) {
            add(vault, mintOf(tx, vault) === leg.inputMint ? leg.inputAmount : -leg.outputAmount);
          }
        }
      }
      for (const [vault, change] of moved) {
        expect({ name, vault, change }).toEqual({ name, vault, change: changeOf(tx, vault) });
      }
      expect({ name, seen }).toEqual({ name, seen: expected });
    }
    expect(legs).toBeGreaterThan(4);
  });

  it('is a bin that the spacing turns into a price: one step up is one step more', () => {
    expect(binPrice(25, 0)).toEqual({ numerator: 2n ** 64n, denominator: 2n ** 64n });
    const { numerator, denominator } = binPrice(25, 1);
    expect(Number(numerator) / Number(denominator)).toBeCloseTo(1.0025, 12);
    const down = binPrice(100, -700);
    expect(Number(down.numerator) / Number(down.denominator)).toBeCloseTo(1.01 ** -700, 12);
  });
});

type Recorded = ReturnType<typeof readRecorded>;

const balances = (tx: Recorded, vault: string, after: boolean) =>
  (after ? tx.tokensAfter : tx.tokensBefore).find(({ account }) => tx.keys[account] === vault);
const mintOf = (tx: Recorded, vault: string): string => balances(tx, vault, true)!.mint;
const changeOf = (tx: Recorded, vault: string): bigint =>
  balances(tx, vault, true)!.amount - balances(tx, vault, false)!.amount;
