import { LiveHub } from './live-hub.js';
import type { LiveLimits } from './live-options.js';
import { LiveProblem } from './live-problem.js';
import { RecordingOutlet } from './test/recording-outlet.js';
import { ScriptedChannel, settled } from './test/scripted-channel.js';
import { TestClock } from './test/test-clock.js';

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

function start(limits: Partial<LiveLimits> = {}) {
  const channel = new ScriptedChannel();
  const clock = new TestClock();
  const hub = new LiveHub({ channels: [channel], logger, limits, clock });
  const client = (id: string, resume?: object) => {
    const outlet = new RecordingOutlet();
    const connection = hub.connect(outlet);
    connection.receive(JSON.stringify({ op: 'subscribe', id, channel: 'numbers', token: 't', resume }));
    return { outlet, connection };
  };
  return { channel, clock, hub, client, key: () => channel.key('t') };
}

describe('a key', () => {
  it('holds deltas back for a snapshot and sends exactly those after it', async () => {
    const { client, key } = start();
    const { outlet } = client('a');
    key().next();
    key().next();
    expect(outlet.brief()).toEqual([]);
    await key().arrived();
    expect(outlet.brief()).toEqual(['subscribed a', 'snapshot a state 0', 'deltas a delta 1', 'deltas a delta 2']);
    key().next();
    expect(outlet.brief()).toEqual(['deltas a delta 3']);
  });

  it('keeps the order of deltas that take their time, and drops those that a snapshot holds already', async () => {
    const { client, key } = start();
    const first = client('a');
    await key().arrived();
    let release: () => void = () => undefined;
    key().next(new Promise((resolve) => (release = resolve)));
    key().next();
    const second = client('b');
    await key().arrived();
    release();
    await settled();
    key().next();
    expect(first.outlet.brief().slice(2)).toEqual(['deltas a delta 1', 'deltas a delta 2', 'deltas a delta 3']);
    expect(second.outlet.brief()).toEqual(['subscribed b', 'snapshot b state 2', 'deltas b delta 3']);
  });

  it('encodes a delta once for all subscribers, and loads once for all who come meanwhile', async () => {
    const { client, key, hub } = start();
    const clients = Array.from({ length: 1_000 }, () => client('same'));
    expect(key().waiting).toHaveLength(1);
    await key().arrived();
    let encoded = 0;
    const counted = { toJSON: () => `encoded ${++encoded}` };
    key().seq++;
    key().sink.add(() => ({ type: 'deltas', epoch: 'e', seq: 1, data: [counted], meta: null }));
    expect(encoded).toBe(1);
    const sent = new Set(clients.map(({ outlet }) => outlet.frames.at(-1)));
    expect(sent.size).toBe(1);
    expect(hub.stats()).toMatchObject({ connections: 1_000, subscriptions: 1_000, keys: 1 });
    for (const { connection } of clients) connection.close();
    expect(hub.stats()).toMatchObject({ connections: 0, subscriptions: 0, keys: 0 });
    expect(key().closed).toBe(true);
  });

  it('resumes with what was missed, or says that it does not', async () => {
    const { client, key } = start();
    client('other');
    await key().arrived();
    const deltas = [1, 2, 3, 4].map(() => key().next());
    const stale = client('stale', { epoch: 'e', seq: 2 });
    await key().arrived();
    expect(stale.outlet.take()[0]).toMatchObject({ type: 'subscribed', resumed: false });
    key().held = deltas;
    const { outlet } = client('a', { epoch: 'e', seq: 2 });
    key().next();
    await settled();
    const frames = outlet.take();
    expect(frames[0]).toEqual({ type: 'subscribed', id: 'a', channel: 'numbers', resumed: true });
    expect(frames.slice(1).map(({ type, seq }) => [type, seq])).toEqual([
      ['deltas', 3],
      ['deltas', 4],
      ['deltas', 5],
    ]);
    const foreign = client('b', { epoch: 'of another log', seq: 2 });
    await key().arrived();
    expect(foreign.outlet.brief()).toEqual(['subscribed b', 'snapshot b state 5']);
  });

  it('says lagged when it lost something, not when a snapshot only takes the place of deltas', async () => {
    const { client, key } = start();
    const { outlet } = client('a');
    await key().arrived();
    outlet.take();
    key().seq = 8;
    key().sink.reload('replaced');
    await key().arrived();
    expect(outlet.brief()).toEqual(['snapshot a state 8']);
    key().sink.reload('lost');
    await key().arrived();
    expect(outlet.brief()).toEqual(['lagged a', 'snapshot a state 8']);
    key().sink.add(() => Promise.reject(new Error('the store is away')));
    await settled();
    await key().arrived();
    expect(outlet.brief()).toEqual(['lagged a', 'snapshot a state 8']);
  });

  it('refuses who comes while nothing can be loaded, keeps who is there, and catches up by itself', async () => {
    const { client, key, clock } = start({ retryMs: 100 });
    const { outlet } = client('a');
    await key().arrived();
    outlet.take();
    key().unavailable = new LiveProblem('upstream_unavailable', 'eth cannot be served now');
    key().sink.reload('replaced');
    const refused = client('b');
    expect(refused.outlet.brief()).toEqual(['error b upstream_unavailable: eth cannot be served now']);
    clock.move(100);
    expect(outlet.brief()).toEqual([]);
    key().unavailable = null;
    clock.move(200);
    await key().arrived();
    expect(outlet.brief()).toEqual(['lagged a', 'snapshot a state 0']);
    key().unavailable = new LiveProblem('upstream_unavailable', 'eth cannot be served now');
    key().sink.reload('lost');
    key().unavailable = null;
    key().sink.available();
    await key().arrived();
    expect(outlet.brief()).toEqual(['lagged a', 'snapshot a state 0']);
    expect(clock.waiting).toBe(0);
  });

  it('refuses what is not there to a new subscription only', async () => {
    const { client, key } = start();
    const { outlet } = client('a');
    await key().arrived();
    outlet.take();
    const absent = new LiveProblem('not_found', 'token t is not known');
    const other = client('b');
    key().waiting.splice(0)[0]!.arrive({ data: [], absent });
    await settled();
    expect(other.outlet.brief()).toEqual(['error b not_found: token t is not known']);
    key().sink.reload('replaced');
    key().waiting.splice(0)[0]!.arrive({ data: [], absent });
    await settled();
    expect(outlet.brief()).toEqual(['snapshot a ']);
  });
});

describe('a slow client', () => {
  it('loses deltas, gets `lagged` once it has drained, and disturbs no other client', async () => {
    const { client, key, hub } = start({ bufferBytes: 1_000 });
    const [slow, fast] = [client('slow'), client('fast')];
    await key().arrived();
    slow.outlet.take();
    fast.outlet.take();
    slow.outlet.blocked = true;
    for (let i = 0; i < 10; i++) key().next(undefined, 'x'.repeat(200));
    expect(fast.outlet.take()).toHaveLength(10);
    const got = slow.outlet.take().length;
    expect(got).toBeGreaterThan(0);
    expect(got).toBeLessThan(10);
    expect(slow.outlet.buffered).toBeLessThanOrEqual(1_000);
    slow.outlet.blocked = false;
    slow.outlet.buffered = 0;
    slow.connection.drained();
    await key().arrived();
    key().next();
    expect(slow.outlet.brief()).toEqual(['lagged slow', 'snapshot slow state 10', 'deltas slow delta 11']);
    expect(hub.stats().lagged).toBe(1);
  });

  it('is ended when it does not drain', async () => {
    const { client, key, clock, hub } = start({ bufferBytes: 500, drainMs: 30_000 });
    const { outlet } = client('a');
    await key().arrived();
    outlet.blocked = true;
    for (let i = 0; i < 5; i++) key().next(undefined, 'x'.repeat(200));
    clock.move(29_999);
    expect(outlet.ended).toBeNull();
    clock.move(1);
    expect(outlet.ended).toEqual({ code: 4408, reason: 'the client reads too slowly' });
    expect(hub.stats()).toMatchObject({ connections: 0, keys: 0, slowClosed: 1 });
  });

  it('is ended when it asks on and never reads the answers', () => {
    const { client } = start({ bufferBytes: 500 });
    const { outlet, connection } = client('a');
    outlet.blocked = true;
    for (let i = 0; i < 100 && outlet.ended === null; i++) connection.receive('{"op":"ping","id":"p"}');
    expect(outlet.ended?.code).toBe(4408);
    expect(outlet.buffered).toBeLessThan(600);
  });

  it('has its snapshots one after the other, as the transport takes them', async () => {
    const channel = new ScriptedChannel();
    const hub = new LiveHub({ channels: [channel], logger, limits: { bufferBytes: 500, loads: 3 } });
    const outlet = new RecordingOutlet();
    const connection = hub.connect(outlet);
    outlet.blocked = true;
    for (let i = 0; i < 30; i++) {
      connection.receive(JSON.stringify({ op: 'subscribe', id: `s${i}`, channel: 'numbers', token: `t${i}` }));
    }
    const started = new Set<string>();
    for (let round = 0; round < 60 && started.size < 30; round++) {
      expect([...channel.keys.values()].filter(({ waiting }) => waiting.length > 0).length).toBeLessThanOrEqual(3);
      for (const key of channel.keys.values()) await key.arrived();
      for (const { type, id } of outlet.take()) if (type === 'snapshot') started.add(String(id));
      outlet.buffered = 0;
      connection.drained();
    }
    expect(started.size).toBe(30);
  });
});

describe('a stream', () => {
  it('is one subscription, refused before anything is sent when the request is wrong', async () => {
    const { hub, key, channel } = start();
    const outlet = new RecordingOutlet();
    const open = (name: string, params: object) =>
      hub.open(outlet, { channel: name, params: { ...params }, resume: null });
    expect(() => open('nothing', {})).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => open('numbers', {})).toThrow(expect.objectContaining({ code: 'bad_request' }));
    expect(outlet.frames).toEqual([]);
    const stream = open('numbers', { token: 't' });
    await key().arrived();
    expect(outlet.brief()).toEqual(['subscribed 1', 'snapshot 1 state 0']);
    stream.close();
    expect(hub.stats()).toMatchObject({ connections: 0, keys: 0 });
    open('numbers', { token: 'u' });
    channel.key('u').waiting[0]!.fail(new LiveProblem('not_found', 'token u is not known'));
    await settled();
    expect(outlet.brief()).toEqual(['error 1 not_found: token u is not known']);
    expect(outlet.ended?.code).toBe(4400);
  });
});
