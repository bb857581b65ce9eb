import { jest } from '@jest/globals';
import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { type MomentStream, PageMoment } from './page-moment.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

type Channel = 'trades' | 'candles' | 'token';
const channels: readonly Channel[] = ['trades', 'candles', 'token'];

function page() {
  const moment = new PageMoment();
  const streams = Object.fromEntries(channels.map((name) => [name, moment.stream()])) as Record<Channel, MomentStream>;
  const shown: string[] = [];
  const take = (channel: Channel, seq: number, type: string = channel, epoch = 'e'): void => {
    streams[channel].take({ channel, type, epoch, seq }, (replaced) =>
      shown.push(`${channel} ${type} ${seq}${replaced ? ' replaced' : ''}`),
    );
  };
  const begun = () => {
    for (const channel of channels) take(channel, 1, 'snapshot');
    shown.length = 0;
  };
  return { moment, streams, shown, take, begun };
}

it('shows what a block brought once every stream has it', () => {
  const { shown, take, begun } = page();
  begun();
  take('trades', 5);
  take('candles', 5);
  expect(shown).toEqual([]);
  take('trades', 6);
  take('token', 5);
  expect(shown).toEqual([]);
  // The tick of two blocks comes as one.
  take('token', 6);
  take('candles', 6);
  const held = ['trades trades 5', 'candles candles 5', 'trades trades 6', 'token token 5', 'token token 6'];
  expect(shown).toEqual([...held, 'candles candles 6']);
  // Without a trade nothing waits.
  take('token', 9, 'snapshot');
  take('trades', 9, 'tags');
  expect(shown.slice(-2)).toEqual(['token snapshot 9', 'trades tags 9']);
});

it('shows what was taken back with the candles that replace its own', () => {
  const { shown, take, begun } = page();
  begun();
  take('trades', 8, 'retract');
  take('trades', 9);
  take('token', 9, 'snapshot');
  // Candles from before the retraction do not answer it.
  take('candles', 7, 'snapshot');
  jest.advanceTimersByTime(1_900);
  expect(shown).toEqual([]);
  take('candles', 9, 'snapshot');
  expect(shown).toEqual([
    ...['trades retract 8', 'trades trades 9', 'token snapshot 9', 'candles snapshot 7'],
    'candles snapshot 9 replaced',
  ]);
  take('candles', 10, 'snapshot');
  expect(shown.at(-1)).toBe('candles snapshot 10');
});

it('does not wait for ever, nor for a part that is gone, nor across logs', () => {
  const { shown, take, begun, streams } = page();
  begun();
  take('trades', 3);
  jest.advanceTimersByTime(300);
  expect(shown).toEqual(['trades trades 3']);
  take('trades', 4);
  streams.candles.end();
  streams.token.end();
  expect(shown.at(-1)).toBe('trades trades 4');
  take('candles', 4);
  expect(shown.at(-1)).toBe('trades trades 4');

  const other = page();
  other.begun();
  other.take('trades', 90);
  other.take('trades', 2, 'snapshot', 'f');
  expect(other.shown).toEqual(['trades trades 90']);
  other.take('candles', 2, 'snapshot', 'f');
  other.take('token', 3, 'snapshot', 'f');
  expect(other.shown).toHaveLength(4);
});

it('keeps the order of frames and shows none before the others have it', () => {
  const seed = testSeed(77);
  const random = new SeededRandom(seed);
  let waited = 0;
  for (let run = scaled(300, 50); run > 0; run--) {
    const { shown, take, begun } = page();
    begun();
    const expected: string[] = [];
    const reached: Record<Channel, number> = { trades: 1, candles: 1, token: 1 };
    let goal = 1;
    for (let seq = 2; seq < 60; seq++) {
      const channel = random.pick(channels);
      const type =
        channel === 'trades' ? random.pick(['trades', 'retract', 'tags']) : random.pick([channel, 'snapshot']);
      take(channel, seq, type);
      expected.push(`${channel} ${type} ${seq}`);
      reached[channel] = seq;
      if (type === 'trades' || type === 'retract') goal = seq;
      const seen = shown.map((text) => text.replace(' replaced', ''));
      expect({ seed, run, seen }).toEqual({ seed, run, seen: expected.slice(0, seen.length) });
      const whole = channels.every((name) => reached[name] >= goal);
      expect({ seed, run, seq, all: seen.length === expected.length }).toEqual({ seed, run, seq, all: whole });
      if (!whole) waited++;
    }
    jest.advanceTimersByTime(2_000);
    expect(shown).toHaveLength(expected.length);
  }
  expect(waited).toBeGreaterThan(100);
});
