import { TokenFindings } from './token-findings.js';

const DAY = 86_400_000;
const [a, b] = ['aa'.repeat(20), 'bb'.repeat(20)];

describe('what simulations find of tokens', () => {
  let head: number | null = 0;
  let tokens: TokenFindings;
  beforeEach(() => {
    head = 0;
    tokens = new TokenFindings(() => head);
  });

  it('counts for a day of block time', () => {
    tokens.note(a, 'taxed', { height: 1, time: 0 });
    tokens.note(b, 'not_transferable', { height: 9, time: DAY / 2 });
    head = DAY;
    expect([tokens.version, tokens.of(a), tokens.of(b)]).toEqual([2, 'taxed', 'not_transferable']);
    head = DAY + 1;
    expect([tokens.version, tokens.of(a), tokens.of(b), tokens.size]).toEqual([3, null, 'not_transferable', 1]);
    head = null;
    expect([tokens.version, tokens.of(b)]).toEqual([3, 'not_transferable']);
    head = 2 * DAY;
    expect([tokens.version, tokens.of(b), tokens.size]).toEqual([4, null, 0]);
  });

  it('is renewed by a later build, replaced by another finding, and gone after a build without a tax', () => {
    tokens.note(a, 'taxed', { height: 1, time: 0 });
    tokens.note(a, 'taxed', { height: 2, time: DAY });
    head = DAY + 1;
    expect([tokens.version, tokens.of(a)]).toEqual([1, 'taxed']);
    tokens.note(a, 'not_transferable', { height: 3, time: DAY });
    expect([tokens.version, tokens.of(a)]).toEqual([2, 'not_transferable']);
    expect(tokens.status()).toEqual({ [a]: { finding: 'not_transferable', height: 3, time: DAY } });
    tokens.clear([b]);
    expect(tokens.version).toBe(2);
    tokens.clear([a, b]);
    expect([tokens.version, tokens.of(a), tokens.size]).toEqual([3, null, 0]);
  });

  it('is bounded: the longest known goes first', () => {
    const id = (n: number) => n.toString(16).padStart(40, '0');
    for (let n = 0; n < 10_050; n++) tokens.note(id(n), 'taxed', { height: n, time: n });
    expect([tokens.size, tokens.of(id(49)), tokens.of(id(50))]).toEqual([10_000, null, 'taxed']);
  });
});
