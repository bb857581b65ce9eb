import type { Hex } from '#libs/core/ids.js';
import type { KeyBounds } from '#libs/projections/keyed-form.js';
import { launches } from '#libs/projections/launches/projection.js';
import type { MarketReads } from '#libs/store/market/reads.js';
import type { View } from '#libs/store/market/view.js';
import { hotReads } from './hot-reads.js';
import { HotStates, hotLimits } from './hot-states.js';

/** A request that takes longer than the time to the next checkpoint reads a view that the states have left behind. */
describe('reads of a view that the states have left behind', () => {
  const at = (seq: number, asOfBlock?: number): View => ({ seq, retracted: [], sealSeq: 0, sealedTime: 0, asOfBlock });
  const place = (view: View, token: Hex) => ({ token, seq: view.seq, block: view.asOfBlock ?? view.seq });

  /** Tables in which each token has one row, which says what it was asked with. */
  function counted() {
    const asked: string[] = [];
    const rows = (name: string) => async (view: View, ids: readonly Hex[], before?: number) => {
      asked.push(`${name} ${view.seq} ${view.asOfBlock ?? ''} ${before ?? ''} ${ids.join('')}`);
      return ids.map((token) => ({ ...place(view, token), before }));
    };
    const keyedRows = async (view: View, _fold: unknown, { token }: KeyBounds) => {
      const ids = 'in' in token! ? (token.in as readonly Hex[]) : [];
      asked.push(`keyed ${view.seq} ${view.asOfBlock ?? ''}  ${ids.join('')}`);
      return ids.map((id) => ({ ...place(view, id) }));
    };
    const tables = { tokens: rows('tokens'), prices: rows('prices'), keyedRows } as unknown as MarketReads;
    return { asked, reads: hotReads(tables, new HotStates(9, 0, hotLimits(1_000_000))) };
  }

  it('are asked for together, those of one view', async () => {
    const { asked, reads } = counted();
    const keyed = (id: Hex) => reads.keyedRows(at(7), launches.keyed, { token: { is: id } });
    const found = await Promise.all([
      ...[reads.tokens(at(7), ['aa']), reads.tokens(at(7), ['bb']), reads.tokens(at(8), ['cc'])],
      ...[reads.prices(at(7), ['aa'], 5), reads.prices(at(7), ['bb'], 5), reads.prices(at(7), ['bb'], 6)],
      ...[keyed('bb'), keyed('aa')],
      reads.tokens(at(7, 3), ['dd']),
    ]);
    expect(asked.sort()).toEqual(
      ['keyed 7   bbaa', 'prices 7  5 aabb', 'prices 7  6 bb'].concat([
        ...['tokens 7   aabb', 'tokens 7 3  dd', 'tokens 8   cc'],
      ]),
    );
    const [first, second, later, , priced, other, keyedRow] = found;
    expect(first).toEqual([{ ...place(at(7), 'aa'), before: undefined }]);
    expect(second).toEqual([{ ...place(at(7), 'bb'), before: undefined }]);
    expect(later).toEqual([{ ...place(at(8), 'cc'), before: undefined }]);
    expect([priced, other]).toEqual([[{ ...place(at(7), 'bb'), before: 5 }], [{ ...place(at(7), 'bb'), before: 6 }]]);
    expect(keyedRow).toEqual([place(at(7), 'bb')]);
  });
});
