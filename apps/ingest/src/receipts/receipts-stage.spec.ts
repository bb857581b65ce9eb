import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { formatDecimal } from '#libs/core/money.js';
import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import { migrate } from '#libs/pipeline/store/migrate.js';
import { ReceiptTable } from '#libs/pipeline/store/receipts/receipt-table.js';
import { randomReceipt, randomSolanaReceipt } from '#libs/pipeline/store/receipts/test/random-receipt.js';
import { type StoreUnderTest, storesUnderTest } from '#libs/pipeline/store/test/stores-under-test.js';
import { encodeReceipt } from '#libs/protocol/receipt-codec.js';
import { isLater, poolsOf, type QuoteReceipt, receiptDifference } from '#libs/protocol/receipts.js';
import { quoteReceiptsTopic } from '#libs/protocol/topics.js';
import { ReceiptsStage } from './receipts-stage.js';

const DATABASE = 'receipts_suite';

for (const kind of storesUnderTest()) {
  describe(`table of receipts: ${kind.name}`, () => {
    let under: StoreUnderTest;
    let table: ReceiptTable;
    let dir: string;
    let log: EventLog;
    let writer: LogWriter;

    beforeAll(async () => {
      under = await kind.open();
      table = new ReceiptTable(under.store, DATABASE);
    });

    beforeEach(async () => {
      await under.store.command(`DROP DATABASE IF EXISTS ${DATABASE} SYNC`);
      dir = mkdtempSync(join(tmpdir(), 'tidepool-receipts-'));
      log = await openEmbeddedLog({ dir });
      await log.ensureTopics([quoteReceiptsTopic]);
      writer = await log.openWriter('test');
    });

    afterEach(async () => {
      await writer.close();
      await log.close();
      rmSync(dir, { recursive: true, force: true });
    });

    afterAll(async () => {
      await under.store.command(`DROP DATABASE IF EXISTS ${DATABASE} SYNC`);
      await under.cleanUp();
    });

    const state = (...receipts: QuoteReceipt[]) =>
      writer.append(
        receipts.map((receipt) => ({ topic: quoteReceiptsTopic, key: receipt.id, value: encodeReceipt(receipt) })),
      );
    const drop = (id: string) => writer.append([{ topic: quoteReceiptsTopic, key: id, value: null }]);
    const rows = () =>
      under.store.query<Record<string, unknown>>(`SELECT * FROM ${DATABASE}.newest_quote_receipts ORDER BY id`);

    const briefRow = ({ id, state, quoted_out, tx, difference_bps }: Record<string, unknown>) => ({
      ...{ id, state, quoted_out, tx, difference_bps: difference_bps === null ? null : Number(difference_bps) },
    });

    /** Runs the stage until the table shows what it must; what it shows instead is said. */
    async function stage(expected: readonly QuoteReceipt[]): Promise<void> {
      const end = new AbortController();
      const running = new ReceiptsStage({ log, table, pollMs: 5 }).run(end.signal);
      const wanted = [...expected].sort((a, b) => (a.id < b.id ? -1 : 1)).map(brief);
      let shown: unknown;
      await until('the table', async () => {
        // The stage makes the table.
        shown = await rows().then(
          (all) => all.map(briefRow),
          () => null,
        );
        return JSON.stringify(shown) === JSON.stringify(wanted);
      }).catch(() => undefined);
      end.abort();
      await running;
      expect(shown).toEqual(wanted);
    }

    it('holds all of a receipt', async () => {
      const random = new SeededRandom(3);
      const executed = { ...randomReceipt(random, { state: 'executed' }), final: true };
      const receipt: QuoteReceipt = {
        ...executed,
        quotedOut: 3n,
        decidedAt: { epoch: 1, seq: 5, height: 13 },
        executed: {
          ...{ tx: '3'.repeat(64), block: 13, blockHash: '4'.repeat(64), time: 1_700_000_012_345 },
          ...{ inAmount: executed.inAmount, outAmount: 2n },
        },
      };
      await state(receipt);
      await stage([receipt]);
      const [row] = await rows();
      expect(row).toMatchObject({
        chain: 'eth',
        final: true,
        wallet: `0x${receipt.wallet}`,
        in_amount: receipt.inAmount.toString(),
        slippage_bps: 50,
        dex: 'Uniswap V3',
        pools: poolsOf(receipt).map((pool) => `0x${pool}`),
        build_block: String(receipt.buildBlock.number),
        built_at: new Date(receipt.builtAt).toISOString().replace('T', ' ').slice(0, -1),
        block: '13',
        block_time: '2023-11-14 22:13:32.345',
        out_amount: '2',
        blocks_later: String(13 - receipt.buildBlock.number),
      });
      expect(Number(row!.difference_bps)).toBe(-3333.33);
    });

    it('holds all of a receipt of Solana, its ids as people write them there', async () => {
      const random = new SeededRandom(4);
      const drawn = randomSolanaReceipt(random, { state: 'executed', exact: 'out', feeBps: 85 });
      const executed = { ...drawn.executed!, inAmount: (drawn.inAmount * 1_003n) / 1_000n };
      const receipt: QuoteReceipt = { ...drawn, executed };
      await state(receipt);
      await stage([receipt]);
      const [row] = await rows();
      const { formatAddress, formatTx, formatBlockHash } = solanaIds;
      expect(row).toMatchObject({
        ...{ chain: 'sol', exact: 'out', fee_bps: 85, dex: 'Raydium CPMM', venue_id: 'sol-raydium-cpmm' },
        ...{ wallet: formatAddress(receipt.wallet), input_mint: formatAddress(receipt.inputMint) },
        ...{ tx: formatTx(executed.tx), block_hash: formatBlockHash(executed.blockHash), quote_block_hash: '' },
        ...{ floor: receipt.threshold.toString(), simulated_in: receipt.simulatedIn.toString() },
        ...{ paid_amount: executed.inAmount.toString(), out_amount: executed.outAmount.toString() },
        pools: poolsOf(receipt).map(formatAddress),
        leg_shares: receipt.legs.map(({ shareBps }) => shareBps),
        leg_hops: receipt.legs.map(({ hops }) => hops.length),
      });
      expect(Number(row!.difference_bps)).toBeLessThan(-29);
    });

    it('of an earlier version keeps its rows and takes new ones', async () => {
      const earlier = join(dir, 'earlier');
      mkdirSync(earlier);
      cpSync('libs/pipeline/store/migrations/router/0001_quote_receipts.sql', join(earlier, '0001_quote_receipts.sql'));
      await migrate(under.store, DATABASE, { folder: earlier });
      const random = new SeededRandom(6);
      const [old, undecided] = [
        randomReceipt(random, { state: 'executed' }),
        randomReceipt(random, { state: 'built' }),
      ];
      for (const { id, state: of, inAmount, legs, dex } of [old, undecided]) {
        const pools = legs[0]!.hops.map(({ pool }) => `'0x${pool}'`);
        await under.store.command(
          `INSERT INTO ${DATABASE}.quote_receipts (id, version, chain, state, in_amount, dex, pools)
           VALUES ('${id}', 1, 'eth', '${of}', ${inAmount}, '${dex}', [${pools}])`,
        );
      }
      await table.ensure();
      const before = new Map((await rows()).map((row) => [row.id, row]));
      const { inAmount, legs } = old;
      expect(before.get(old.id)).toMatchObject({
        ...{ exact: 'in', fee_bps: 0, leg_shares: [10_000], leg_hops: [legs[0]!.hops.length] },
        ...{ in_amount: String(inAmount), simulated_in: String(inAmount), paid_amount: String(inAmount) },
      });
      expect(before.get(undecided.id)).toMatchObject({ exact: 'in', paid_amount: null });
      const added = randomSolanaReceipt(random, { state: 'executed' });
      await table.insert([added]);
      const paid = String(added.executed!.inAmount);
      expect((await rows()).find(({ id }) => id === added.id)).toMatchObject({ chain: 'sol', paid_amount: paid });
    });

    it('is what the topic is, whatever was stated, dropped, lost or begun again', async () => {
      const seed = testSeed();
      const random = new SeededRandom(seed);
      const truth = new Map<string, QuoteReceipt>();
      try {
        for (let round = 0; round < scaled(30, 3); round++) {
          for (let step = random.int(1, 40); step > 0; step--) {
            const known = truth.size > 0 && random.chance(0.6) ? random.pick([...truth.values()]) : null;
            if (known !== null && random.chance(0.2)) {
              await drop(known.id);
              truth.delete(known.id);
              continue;
            }
            const seq = (known?.asOf.seq ?? 0) + random.int(0, 3) - (random.chance(0.1) ? 2 : 0);
            const asOf = { epoch: 1, seq: Math.max(0, seq) };
            const next = known === null ? random.pick(families)(random, { asOf }) : restated(random, known, asOf);
            await state(next);
            if (known === null || isLater(asOf, known.asOf)) truth.set(next.id, next);
            // Routers state the newer value again after an older one; one of the same place is the same value.
            else if (known !== null) await state(known);
          }
          if (random.chance(0.2))
            await under.store.command(`TRUNCATE TABLE IF EXISTS ${DATABASE}.quote_receipts`).catch(() => undefined);
          if (round > 0 && random.chance(0.2)) await table.insert([randomReceipt(random), randomReceipt(random)]);
          await stage([...truth.values()]);
        }
      } catch (error) {
        (error as Error).message = `TIDEPOOL_TEST_SEED=${seed}\n${(error as Error).message}`;
        throw error;
      }
    });

    it('inserts nothing twice that it has, and takes doubled rows', async () => {
      const random = new SeededRandom(5);
      const receipts = Array.from({ length: 10 }, () => randomReceipt(random));
      await state(...receipts);
      await stage(receipts);
      await stage(receipts);
      const [{ count }] = (await under.store.query<{ count: string }>(
        `SELECT count() AS count FROM ${DATABASE}.quote_receipts`,
      )) as [{ count: string }];
      expect(Number(count)).toBe(10);
      await table.insert(receipts);
      await stage(receipts);
    });

    it('stops at what it cannot read', async () => {
      await writer.append([{ topic: quoteReceiptsTopic, key: 'x', value: Buffer.from('{}') }]);
      const running = new ReceiptsStage({ log, table, pollMs: 5 }).run(new AbortController().signal);
      await expect(running).rejects.toMatchObject({ code: 'undecodable' });
    });
  });
}

const families = [randomReceipt, randomSolanaReceipt];

function restated(random: SeededRandom, known: QuoteReceipt, asOf: QuoteReceipt['asOf']): QuoteReceipt {
  const draw = known.chain === 'sol' ? randomSolanaReceipt : randomReceipt;
  const { state, decidedAt, final, executed } = draw(random);
  return { ...known, state, decidedAt, final, executed, asOf };
}

function brief(receipt: QuoteReceipt) {
  const { id, state, quotedOut, executed, chain } = receipt;
  const difference = executed === null ? null : Number(formatDecimal(receiptDifference(receipt, 'quote')!, 2));
  const tx = executed === null ? null : chain === 'sol' ? solanaIds.formatTx(executed.tx) : `0x${executed.tx}`;
  return { id, state, quoted_out: quotedOut.toString(), tx, difference_bps: difference };
}
