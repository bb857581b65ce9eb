import type { EvmReceipt } from '#libs/serve/contract/rest/evm/receipt-body.js';
import type { SolReceipt } from '#libs/serve/contract/rest/solana/receipt-body.js';
import { loadReceipts } from './load-receipts.js';

const at = (second: number): string => new Date(1_700_000_000_000 + second * 1_000).toISOString();
const summary = (count: number) => ({ count, executed: 0, medianDifferenceBps: null, worstDifferenceBps: null });

const onEvm = (second: number) =>
  ({
    ...{ id: `evm-${second}`, chain: 'eth', builtAt: at(second), inAmount: '7', quotedOut: '9', pools: ['0x1'] },
    ...{ quoteBlock: { number: 3, hash: '0x' }, executed: null },
  }) as EvmReceipt;

const onSolana = (second: number, swapMode: SolReceipt['swapMode']) =>
  ({
    ...{ id: `sol-${second}`, chain: 'sol', builtAt: at(second), swapMode, inAmount: '100', quotedOut: '200' },
    legs: [
      { bps: 6_000, amount: '60', steps: [{}, {}] },
      { bps: 4_000, amount: '40', steps: [{}] },
    ],
    ...{ quoteSlot: 5, executed: { tx: 't', slot: 6, time: at(9), inAmount: '101', outAmount: '199', slotsLater: 1 } },
  }) as SolReceipt;

/** Pages of a list as a route gives them: a cursor is the place of the next row. */
function paged<Row>(rows: readonly Row[]) {
  const asked: (string | undefined)[] = [];
  return {
    asked,
    ask: async ({ limit, cursor }: { limit?: number; cursor?: string } = {}) => {
      asked.push(cursor);
      const from = Number(cursor ?? 0);
      const data = rows.slice(from, from + Math.min(limit!, 2));
      const next = from + data.length < rows.length ? String(from + data.length) : null;
      return { data, next, summary: summary(rows.length) };
    },
  };
}

it('puts the lists of both families into one, newest first, and says whether there is more', async () => {
  const [evm, solana] = [paged([9, 6, 5].map(onEvm)), paged([8, 7, 1].map((second) => onSolana(second, 'ExactIn')))];
  const router = { receipts: evm.ask, solanaReceipts: solana.ask };
  const ids = async (count: number) => {
    const { rows, more, summaries } = await loadReceipts(router, count, new AbortController().signal);
    expect(summaries).toEqual({ evm: summary(3), solana: summary(3) });
    return [rows.map(({ id }) => id), more];
  };
  expect(await ids(4)).toEqual([['evm-9', 'sol-8', 'sol-7', 'evm-6'], true]);
  expect(await ids(6)).toEqual([['evm-9', 'sol-8', 'sol-7', 'evm-6', 'evm-5', 'sol-1'], false]);
  expect(evm.asked).toEqual([undefined, '2', undefined, '2']);
});

it('compares the side that is not exact', async () => {
  const router = {
    receipts: paged<EvmReceipt>([]).ask,
    solanaReceipts: paged([onSolana(2, 'ExactOut'), onSolana(1, 'ExactIn')]).ask,
  };
  const { rows } = await loadReceipts(router, 2, new AbortController().signal);
  expect(rows).toMatchObject([
    { measured: 'in', amount: '200', quoted: '100', pools: 3, executed: { amount: '101', height: 6, later: 1 } },
    { measured: 'out', amount: '100', quoted: '200', executed: { amount: '199' } },
  ]);
});
