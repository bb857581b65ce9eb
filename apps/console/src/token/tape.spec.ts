import { emptyTrades, followTrades, type TradeList } from '#libs/serve/client/follow-trades.js';
import type { TradesFrame } from '#libs/serve/client/live-frame.js';
import type { TradeBody } from '#libs/serve/contract/rest/trade-body.js';
import { learnFamilies } from '../state/families.js';
import { GHOST_MS, nextLeaving, replacedNote, type TapeRow, tapeAfter } from './tape.js';

const trade = (id: string, block: number): TradeBody =>
  ({ id, block, time: block * 1000, signature: id, wallet: 'w' }) as TradeBody;
const frame = (type: 'snapshot' | 'trades' | 'retract', data: unknown[]): TradesFrame =>
  ({
    type,
    id: '1',
    channel: 'trades',
    epoch: 'e',
    seq: 1,
    data,
    meta: { block: 1, blockHash: 'h', finalized: null, proof: 'none' as const },
  }) as TradesFrame;

/** The tape after some frames, the way the page feeds it. */
class Viewer {
  list: TradeList = emptyTrades(5);
  rows: TapeRow[] = [];

  see(next: TradesFrame, at: number): this {
    this.list = followTrades(this.list, next);
    this.rows = tapeAfter(this.rows, this.list, at);
    return this;
  }

  wait(at: number): this {
    this.rows = tapeAfter(this.rows, { ...this.list, retracted: [], added: [] }, at);
    return this;
  }

  get shown(): string[] {
    return this.rows.map(({ trade: { id, block }, leavesAt }) => `${id}@${block}${leavesAt === null ? '' : ' struck'}`);
  }
}

describe('tape', () => {
  it('shows what the list holds, and marks only what came while looking', () => {
    const viewer = new Viewer().see(frame('snapshot', [trade('b', 2), trade('a', 1)]), 0);
    viewer.see(frame('trades', [trade('c', 3), trade('d', 3)]), 10);
    expect(viewer.shown).toEqual(['d@3', 'c@3', 'b@2', 'a@1']);
    expect(viewer.rows.map(({ fresh }) => fresh)).toEqual([true, true, false, false]);
  });

  it('strikes out what is taken back, below what replaces it, and lets it go after a while', () => {
    const viewer = new Viewer().see(frame('snapshot', [trade('c', 3), trade('b', 2), trade('a', 1)]), 0);
    viewer.see(frame('retract', [trade('c', 3), trade('b', 2)]), 1_000);
    expect(viewer.shown).toEqual(['c@3 struck', 'b@2 struck', 'a@1']);
    expect(replacedNote(viewer.list.retracted)).toBe('Blocks 2 to 3 were replaced: 2 trades were reversed.');
    viewer.see(frame('trades', [trade('b', 2)]), 1_500).see(frame('trades', [trade('e', 4)]), 2_000);
    expect(viewer.shown).toEqual(['e@4', 'c@3 struck', 'b@2', 'a@1'].sort((x, y) => Number(y[2]) - Number(x[2])));
    viewer.wait(1_000 + GHOST_MS - 1);
    expect(viewer.shown).toContain('c@3 struck');
    expect(nextLeaving(viewer.rows)).toBe(1_000 + GHOST_MS);
    viewer.wait(1_000 + GHOST_MS);
    expect(viewer.shown).toEqual(['e@4', 'b@2', 'a@1']);
    expect(nextLeaving(viewer.rows)).toBeNull();
  });

  it('keeps a swap that was mined again in another block apart from its first self', () => {
    const viewer = new Viewer().see(frame('snapshot', [trade('b', 2), trade('a', 1)]), 0);
    viewer.see(frame('retract', [trade('b', 2)]), 0).see(frame('trades', [trade('b', 3)]), 0);
    expect(viewer.shown).toEqual(['b@3', 'b@2 struck', 'a@1']);
    expect(new Set(viewer.rows.map(({ key }) => key)).size).toBe(3);
  });

  it('drops what a new snapshot no longer has, without striking it out', () => {
    const viewer = new Viewer().see(frame('snapshot', [trade('b', 2), trade('a', 1)]), 0);
    viewer.see(frame('snapshot', [trade('c', 3)]), 0);
    expect(viewer.shown).toEqual(['c@3']);
  });

  it('names one block, and says nothing when nothing was taken back', () => {
    expect(replacedNote([trade('a', 1234)])).toBe('Block 1,234 was replaced: 1 trade was reversed.');
    learnFamilies([{ chain: 'sol', family: 'solana' }]);
    const onSolana = [trade('a', 1234), trade('b', 1236)].map((of) => ({ ...of, chain: 'sol' }));
    expect(replacedNote(onSolana)).toBe('Slots 1,234 to 1,236 were replaced: 2 trades were reversed.');
    expect(replacedNote([])).toBeNull();
  });
});
