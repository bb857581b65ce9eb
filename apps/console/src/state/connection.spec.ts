import { now } from './clock.js';
import { connection, liveChanged, pollAnswered, pollFailed, pollForgotten, retryText } from './connection.js';

/** The tests are one connection's life: its state lives as long as the page. */
describe('what the page says of its connection', () => {
  const tokens = {};
  const start = Date.now();
  const at = (ms: number): void => {
    now.value = start + ms;
  };

  it('is connecting until something was answered', () => {
    expect(connection.value).toEqual({ kind: 'connecting', text: 'connecting' });
    pollAnswered(tokens);
    expect(connection.value).toEqual({ kind: 'live', text: 'live' });
  });

  it('counts down to the next attempt of a refresh', () => {
    at(0);
    pollFailed(tokens, start + 3_000);
    expect(connection.value).toEqual({ kind: 'lost', text: 'connection lost, trying again in 3 s' });
    at(2_100);
    expect(connection.value.text).toBe('connection lost, trying again in 1 s');
    at(3_000);
    expect(connection.value.text).toBe('connection lost, trying again now');
  });

  it('says that it is back, and after a while that it is live', () => {
    at(3_100);
    pollAnswered(tokens);
    now.value = Date.now();
    expect(connection.value).toEqual({ kind: 'back', text: 'back, up to date' });
    now.value = Date.now() + 7_000;
    expect(connection.value.kind).toBe('live');
  });

  it('believes the socket where there is one, and gives the reason only when it lasts', () => {
    now.value = Date.now();
    liveChanged({ name: 'connecting' });
    expect(connection.value.kind).toBe('connecting');
    const lost = {
      name: 'lost',
      since: now.value,
      retryAt: now.value + 2_000,
      reason: 'the service restarts',
    } as const;
    liveChanged({ ...lost, attempt: 1 });
    expect(connection.value.text).toBe('connection lost, trying again in 2 s');
    liveChanged({ ...lost, attempt: 3, retryAt: null });
    expect(connection.value.text).toBe('connection lost (the service restarts), trying again now');
  });

  it.each([
    ['nothing missed', 'back, nothing missed'],
    ['reloaded', 'back, all reloaded'],
  ] as const)('tells what a recovery meant: %s', (outcome, text) => {
    const since = Date.now();
    liveChanged({ name: 'live', since, recovery: { lostMs: 900, outcome: 'pending' } });
    expect(connection.value.text).toBe('back, catching up');
    liveChanged({ name: 'live', since, recovery: { lostMs: 900, outcome } });
    now.value = Date.now();
    expect(connection.value).toEqual({ kind: 'back', text });
    now.value = Date.now() + 7_000;
    expect(connection.value.kind).toBe('live');
  });

  it('forgets the troubles of a page that was left', () => {
    pollFailed(tokens, now.value + 5_000);
    expect(connection.value.kind).toBe('lost');
    pollForgotten(tokens);
    expect(connection.value.kind).toBe('live');
  });

  it('never counts below zero', () => {
    expect(retryText(1_000, 9_000)).toBe('trying again now');
    expect(retryText(null, 0)).toBe('trying again now');
  });
});
