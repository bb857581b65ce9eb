import { LiveHub } from './live-hub.js';
import { RecordingOutlet } from './test/recording-outlet.js';
import { ScriptedChannel, settled } from './test/scripted-channel.js';

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('operations of a connection', () => {
  function start() {
    const channel = new ScriptedChannel();
    const hub = new LiveHub({ channels: [channel], logger });
    const outlet = new RecordingOutlet();
    const connection = hub.connect(outlet);
    const say = (message: unknown) => {
      connection.receive(typeof message === 'string' ? message : JSON.stringify(message));
      return outlet.brief();
    };
    return { channel, hub, outlet, connection, say };
  }

  it.each([
    ['not json', 'null', 'frames must be JSON'],
    ['', 'null', 'frames must be JSON'],
    ['[]', 'null', 'op must be subscribe, unsubscribe or ping'],
    ['5', 'null', 'op must be subscribe, unsubscribe or ping'],
    [{ id: 'a' }, 'a', 'op must be subscribe, unsubscribe or ping'],
    [{ id: 7, op: 'Subscribe' }, '7', 'op must be subscribe, unsubscribe or ping'],
    [{ op: 'subscribe', id: 'a' }, 'a', 'channel is required'],
    [{ op: 'subscribe', id: 'a', channel: '' }, 'a', 'channel is required'],
    [{ op: 'subscribe', id: 'a', channel: 'nothing' }, 'a', 'unknown channel'],
    [{ op: 'subscribe', id: 'a', channel: 5 }, 'a', 'unknown channel'],
    [{ op: 'subscribe', id: 'a', channel: 'toString' }, 'a', 'unknown channel'],
    [{ op: 'subscribe', id: 'a', channel: 'numbers' }, 'a', 'token is required'],
    [
      { op: 'subscribe', id: '', channel: 'numbers' },
      'null',
      'id must be a string of 1 to 128 characters or an integer',
    ],
    [{ op: 'ping', id: 1.5 }, 'null', 'id must be a string of 1 to 128 characters or an integer'],
    [{ op: 'ping', id: 'x'.repeat(129) }, 'null', 'id must be a string of 1 to 128 characters or an integer'],
    [{ op: 'ping', id: {} }, 'null', 'id must be a string of 1 to 128 characters or an integer'],
    [{ op: 'unsubscribe' }, 'null', 'id is required'],
    [{ op: 'unsubscribe', id: 'a' }, 'a', 'id is not subscribed'],
    [
      { op: 'subscribe', id: 'a', channel: 'numbers', token: 't', resume: 5 },
      'a',
      'resume must be {epoch, seq} as a frame gave them',
    ],
    [
      { op: 'subscribe', id: 'a', channel: 'numbers', token: 't', resume: { epoch: 'e', seq: -1 } },
      'a',
      'resume must be {epoch, seq} as a frame gave them',
    ],
  ])('refuses %j', (message, id, reason) => {
    const { say, hub } = start();
    expect(say(message)).toEqual([`error ${id} bad_request: ${reason}`]);
    expect(hub.stats()).toMatchObject({ connections: 1, subscriptions: 0, keys: 0 });
    expect(say({ op: 'ping' })).toEqual(['pong null']);
  });

  it('passes on the code of a channel, echoes ids as they were given, ignores unknown fields', async () => {
    const { say, channel, outlet } = start();
    expect(say({ op: 'subscribe', id: 1, channel: 'numbers', token: 'elsewhere' })).toEqual([
      'error 1 not_found: chain elsewhere is not indexed',
    ]);
    say({ op: 'subscribe', id: 1, channel: 'numbers', token: 'T', extra: { a: 1 } });
    say({ op: 'subscribe', id: '1', channel: 'numbers', token: 't' });
    await channel.key('t').arrived();
    const frames = outlet.take();
    expect(frames.map(({ type, id }) => [type, id])).toEqual([
      ['subscribed', 1],
      ['snapshot', 1],
      ['subscribed', '1'],
      ['snapshot', '1'],
    ]);
    expect(frames[0]).toEqual({ type: 'subscribed', id: 1, channel: 'numbers', resumed: false });
    expect(frames[1]).toEqual({
      ...{ type: 'snapshot', id: 1, channel: 'numbers', epoch: 'e', seq: 0 },
      ...{ data: ['state 0'], meta: { block: 0 } },
    });
    expect(say({ op: 'ping', id: 'p' })).toEqual(['pong p']);
  });

  it('numbers subscriptions without an id around those that are in use', async () => {
    const { say, channel, outlet } = start();
    say({ op: 'subscribe', id: '2', channel: 'numbers', token: 'a' });
    say({ op: 'subscribe', channel: 'numbers', token: 'b' });
    say({ op: 'subscribe', channel: 'numbers', token: 'c' });
    for (const name of ['a', 'b', 'c']) await channel.key(name).arrived();
    expect(outlet.brief().filter((line) => line.startsWith('subscribed'))).toEqual([
      'subscribed 2',
      'subscribed 1',
      'subscribed 3',
    ]);
  });

  it('refuses an id that is in use, and frees it when its subscription ends or was refused', async () => {
    const { say, channel, outlet, hub } = start();
    const subscribe = { op: 'subscribe', id: 'a', channel: 'numbers', token: 't' };
    say(subscribe);
    expect(say({ ...subscribe, token: 'u' })).toEqual(['error a bad_request: id already in use']);
    expect(say({ op: 'unsubscribe', id: 'a' })).toEqual(['unsubscribed a']);
    expect(hub.stats().keys).toBe(0);
    expect(channel.key('t').closed).toBe(true);
    say(subscribe);
    channel.key('t').waiting[0]!.fail(new Error('a bug'));
    await settled();
    expect(outlet.brief()).toEqual(['error a internal: internal error']);
    say(subscribe);
    await channel.key('t').arrived();
    expect(outlet.brief()).toEqual(['subscribed a', 'snapshot a state 0']);
  });

  it('refuses the 201st subscription and continues', async () => {
    const { say, channel, outlet, hub } = start();
    for (let i = 1; i <= 200; i++) say({ op: 'subscribe', id: i, channel: 'numbers', token: `t${i % 10}` });
    expect(say({ op: 'subscribe', id: 201, channel: 'numbers', token: 't' })).toEqual([
      'error 201 bad_request: at most 200 subscriptions per socket',
    ]);
    for (let round = 0; round < 40; round++) for (const key of channel.keys.values()) await key.arrived();
    expect(outlet.brief().filter((line) => line.startsWith('snapshot'))).toHaveLength(200);
    expect(hub.stats()).toMatchObject({ subscriptions: 200, keys: 10 });
    say({ op: 'unsubscribe', id: 1 });
    expect(say({ op: 'subscribe', id: 201, channel: 'numbers', token: 't2' })).toEqual([]);
  });
});

describe('a hub', () => {
  it('refuses two channels of one name', () => {
    const channels = [new ScriptedChannel(), new ScriptedChannel()];
    expect(() => new LiveHub({ channels, logger })).toThrow('live channel numbers is registered twice');
    expect(new LiveHub({ channels: [new ScriptedChannel('x')], logger }).channelNames).toEqual(['x']);
  });

  it('ends every client when it closes, and every client that comes later', () => {
    const hub = new LiveHub({ channels: [new ScriptedChannel()], logger });
    const [early, late] = [new RecordingOutlet(), new RecordingOutlet()];
    hub.connect(early).receive('{"op":"subscribe","channel":"numbers","token":"t"}');
    hub.close();
    hub.connect(late).receive('{"op":"subscribe","channel":"numbers","token":"t"}');
    expect([early.ended?.code, late.ended?.code]).toEqual([1012, 1012]);
    expect(hub.stats()).toMatchObject({ connections: 0, subscriptions: 0, keys: 0 });
  });
});
