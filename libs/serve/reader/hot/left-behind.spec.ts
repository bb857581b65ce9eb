import type { Hex } from '#libs/core/ids.js';
import type { KeyBounds } from '#libs/pipeline/projections/keyed-form.js';
import { launches } from '#libs/pipeline/projections/launches/projection.js';
import type { MarketReads } from '#libs/pipeline/store/market/reads.js';
import type { View } from '#libs/pipeline/store/market/view.js';
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
    const references = async (view: View, before?: number) => {
      asked.push(`references ${view.seq} ${view.asOfBlock ?? ''} ${before ?? ''}`);
      return [{ ...place(view, 'coin'), before }];
    };
    const poolsOfTokens = async (view: View, ids: readonly Hex[], limit: number) => {
      asked.push(`pools ${view.seq} ${view.asOfBlock ?? ''} ${limit} ${ids.join('')}`);
      return new Map(ids.map((token) => [token, [place(view, token)]]));
    };
    const tables = {
      ...{ tokens: rows('tokens'), prices: rows('prices'), keyedRows, references, poolsOfTokens },
    } as unknown as MarketReads;
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

  it('share the reference prices of a time, each with a list of its own', async () => {
    const { asked, reads } = counted();
    const read = (seq: number, before?: number, asOf?: number) => reads.references(at(seq, asOf), before);
    const found = await Promise.all([read(7, 5), read(7, 5), read(7, 6), read(7), read(8, 5), read(7, 5, 3), read(7)]);
    expect(asked.sort()).toEqual(
      ['references 7  ', 'references 7  5', 'references 7  6', 'references 7 3 5'].concat('references 8  5'),
    );
    expect(found[0]).toEqual([{ ...place(at(7), 'coin'), before: 5 }]);
    expect(found[1]).toEqual(found[0]);
    expect(found[1]).not.toBe(found[0]);
    expect(found[5]).toEqual([{ ...place(at(7, 3), 'coin'), before: 5 }]);
  });

  it('ask for the pools of several tokens together', async () => {
    const { asked, reads } = counted();
    const pools = (seq: number, ids: readonly Hex[], limit: number) => reads.poolsOfTokens(at(seq), ids, limit);
    const [first, both] = await Promise.all([
      ...[pools(7, ['aa'], 5), pools(7, ['bb', 'aa', 'bb'], 5), pools(7, ['aa'], 6), pools(8, ['aa'], 5)],
    ]);
    expect(asked.sort()).toEqual(['pools 7  5 aabb', 'pools 7  6 aa', 'pools 8  5 aa']);
    expect(first).toEqual(new Map([['aa', [place(at(7), 'aa')]]]));
    expect(both).toEqual(new Map(['bb', 'aa'].map((token) => [token, [place(at(7), token)]])));
  });
});
