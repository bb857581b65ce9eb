import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { request as startRequest } from 'node:http';
import type { Socket } from 'node:net';
import { until } from '#libs/devkit/testing/until.js';
import type { SpendingStore, SpendOutcome } from '#libs/serve/accounts/spending.js';
import { AccountWorld } from '#libs/serve/accounts/test/account-world.js';
import { EventClient, SocketClient } from './test/live-clients.js';
import { IoClient } from './test/socket-io-client.js';
import { HANDSHAKE, TransportHarness } from './test/transport-harness.js';

/** Live connections of a key over every transport: how many at a time, and how they end with the key and with its credits. */
const MOST = 3;
const MINUTE_MS = 60_000;

/** A store that others share: it answers later, here when the spec says so. */
class HeldStore implements SpendingStore {
  readonly asked: (() => void)[] = [];
  holding = false;

  constructor(private readonly local: SpendingStore) {}

  spend(spend: Parameters<SpendingStore['spend']>[0]): SpendOutcome | Promise<SpendOutcome> {
    if (!this.holding) return this.local.spend(spend);
    return new Promise((answer) => this.asked.push(() => answer(this.local.spend(spend))));
  }
  settle(...args: Parameters<SpendingStore['settle']>): void {
    this.local.settle(...args);
  }
  close(): void {
    this.local.close();
  }

  release(): void {
    this.holding = false;
    for (const answer of this.asked.splice(0)) answer();
  }
}

let world: AccountWorld;
let store: HeldStore;
let harness: TransportHarness;
let opened: { close(): void }[] = [];
const clock = { ms: Date.UTC(2026, 10, 25) };

async function start(credits: number | null, maxConnections = 100): Promise<void> {
  const open = (local: SpendingStore) => {
    store = new HeldStore(local);
    return store;
  };
  world = new AccountWorld(clock, { rate: 0, credits }, open, 'spec', MOST);
  harness = await TransportHarness.start({ accounts: world.admission, maxConnections });
}

afterEach(async () => {
  for (const each of opened.splice(0)) each.close();
  await harness.close();
  expect(harness.errors).toEqual([]);
  opened = [];
});

const isEmpty = (): boolean => {
  const { sockets, socketIo, streams, connections, subscriptions } = harness.transports.status();
  return world.admission.openStreams + sockets + socketIo + streams + connections + subscriptions === 0;
};

const STREAM = '/stream/numbers?list=a';
const doors = (): [string, string, boolean][] => [
  ['a WebSocket of the api', `${harness.api.url}/ws`, true],
  ['a WebSocket of its listener', `${harness.sockets.url}/`, true],
  ['socket.io', `${harness.api.url}/socket.io/?EIO=4&transport=websocket`, true],
  ['socket.io of its listener', `${harness.sockets.url}/socket.io/?EIO=4&transport=websocket`, true],
  ['an event stream', harness.api.url + STREAM, false],
];

interface Opening {
  /** The status of the answer; the connection stays where it was let in. */
  readonly status: Promise<number>;
  /** Ends with the connection. */
  readonly closed: Promise<void>;
  close(): void;
}

/** A bare request to a listener: it says nothing more, whatever comes. */
function knock(url: string, upgrade: boolean): Opening {
  const headers = { 'x-api-key': world.key, ...(upgrade ? HANDSHAKE : {}) };
  const sent = startRequest(url, { headers, agent: false });
  let held: { destroy(): void } = sent;
  let over: () => void;
  const closed = new Promise<void>((done) => {
    over = done;
  });
  const status = new Promise<number>((done, fail) => {
    sent.once('upgrade', (response, socket) => {
      held = socket;
      socket.on('error', () => undefined);
      socket.once('close', over).resume();
      done(response.statusCode!);
    });
    sent.once('response', (response) => {
      response.on('error', () => undefined);
      response.once('close', over).resume();
      done(response.statusCode!);
    });
    sent.once('error', fail);
  });
  status.catch(() => undefined);
  sent.end();
  const opening = { status, closed, close: () => void held.destroy() };
  opened.push(opening);
  return opening;
}

it('are as many as a key may have, however many ask together while a shared store answers', async () => {
  await start(100);
  store.holding = true;
  const asked = [...doors(), ...doors(), ...doors()].map(([, url, upgrade]) => knock(url, upgrade));
  await until('all of them at the store', () => store.asked.length === asked.length);
  store.release();
  const statuses = await Promise.all(asked.map(({ status }) => status));
  const admitted = asked.filter((_, n) => statuses[n] !== 503);
  expect([admitted.length, world.admission.openStreams]).toEqual([MOST, MOST]);
  // What was refused has its credits back: a request and a minute each.
  expect(world.ledger.totals('a').included).toBe(2 * MOST);
  for (const [name, url, upgrade] of doors()) expect([name, await knock(url, upgrade).status]).toEqual([name, 503]);
  admitted[0]!.close();
  await until('its place', () => world.admission.openStreams === MOST - 1);
  expect(await knock(`${harness.api.url}/ws`, true).status).toBe(101);
});

it('have a place of each kind from the first moment, and none once they are gone', async () => {
  await start(null);
  for (const [name, url, upgrade] of doors()) {
    const opening = knock(url, upgrade);
    expect([name, await opening.status]).toEqual([name, upgrade ? 101 : 200]);
    // A client of socket.io that never joins has one as well.
    await until(`the place of ${name}`, () => world.admission.openStreams === 1);
    opening.close();
    await until(`the end of ${name}`, () => world.admission.openStreams === 0);
  }
});

it('that went while a shared store was asked leave no place taken', async () => {
  await start(null, 1);
  const sockets: Socket[] = [];
  const accepted = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
  subscribe('net.server.socket', accepted);
  try {
    for (const [name, url, upgrade] of doors()) {
      store.holding = true;
      const opening = knock(url, upgrade);
      await until(`${name} at the store`, () => store.asked.length === 1);
      opening.close();
      // What is not read yet does not tell of its end: an upgrade is found to be gone once it is one.
      if (!upgrade) await until(`the end of ${name}`, () => sockets.every(({ destroyed }) => destroyed));
      store.release();
      await until(`no place of ${name}`, () => sockets.every(({ destroyed }) => destroyed) && isEmpty());
      // The listener takes one at a time: the place is free.
      const next = knock(url, upgrade);
      expect([name, await next.status]).toEqual([name, upgrade ? 101 : 200]);
      next.close();
      await until(`no place of the next of ${name}`, () => sockets.every(({ destroyed }) => destroyed) && isEmpty());
    }
  } finally {
    unsubscribe('net.server.socket', accepted);
  }
});

it.each([
  ['key', 4401, 'the key is no longer accepted', /key is no longer accepted/],
  ['credits', 4402, 'the account has no credits left', /no credits left/],
] as const)('end with the code of the reason at every door: %s', async (why, code, reason, words) => {
  // A request and a minute of each.
  await start(6);
  const headers = { 'x-api-key': world.key };
  const socket = await SocketClient.open(`${harness.sockets.url}/`, { headers });
  const io = await IoClient.open(harness.api.url, { extraHeaders: headers });
  const events = await EventClient.open(harness.api.url + STREAM, headers);
  opened.push({ close: () => socket.socket.terminate() }, io, events);
  expect(world.admission.openStreams).toBe(3);
  if (why === 'key') world.putKey({ revokedAt: 1 });
  else {
    clock.ms += MINUTE_MS;
    world.admission.tick();
  }
  expect(await socket.closed).toEqual({ code, reason });
  expect(await io.disconnected).toBe('io server disconnect');
  expect(io.ends).toEqual([{ code, reason }]);
  const { data } = await events.next(({ event }) => event === 'error');
  expect(data).toMatchObject({ code: 'unauthorized', message: expect.stringMatching(words) });
  await events.ended;
  expect(world.admission.openStreams).toBe(0);
});

it('of socket.io that joined nothing end with their key as well', async () => {
  await start(null);
  const opening = knock(`${harness.api.url}/socket.io/?EIO=4&transport=websocket`, true);
  expect(await opening.status).toBe(101);
  await until('its place', () => world.admission.openStreams === 1);
  world.putKey({ revokedAt: 1 });
  await opening.closed;
  expect(world.admission.openStreams).toBe(0);
});
