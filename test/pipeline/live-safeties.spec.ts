import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { scaled } from '#libs/devkit/testing/seeded-random.js';
import type { ChannelDefinition, KeySink, KeySource } from '#libs/serve/live/channel.js';
import type { KeyFrame } from '#libs/serve/live/key-frame.js';
import { LiveHub } from '#libs/serve/live/live-hub.js';
import { LiveKey, type LiveKeyDeps, type Load } from '#libs/serve/live/live-key.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import type { TailListener } from '#libs/serve/reader/tail-listener.js';
import { LiveWorld, type LiveWorldOptions } from './live/live-world.js';

/**
 * Every safety of the live engine that a schedule can reach: without it some seed finds a client that holds something else
 * than REST answers. A safety whose "off" run stays green would be one that nothing needs, or a test that sees nothing.
 */
type Variant = Pick<LiveWorldOptions, 'hub' | 'channels' | 'reader' | 'heldBytes'>;

function hubWith(Key: typeof LiveKey): typeof LiveHub {
  return class extends LiveHub {
    protected override createKey(deps: LiveKeyDeps): LiveKey {
      return new Key(deps);
    }
  };
}

const later = (turns: number, run: () => void): void => {
  setImmediate(turns === 0 ? run : () => later(turns - 1, run));
};

/** Registers who waits for a snapshot some turns after the view was taken. */
class LateRegistration extends LiveKey {
  private readonly registered = new WeakSet<Load>();

  protected override register(...[position, subscriptions]: Parameters<LiveKey['register']>): Load {
    const load = super.register(position, subscriptions);
    later(30, () => this.registered.add(load));
    return load;
  }

  protected override hold(load: Load, frame: KeyFrame): void {
    if (this.registered.has(load)) super.hold(load, frame);
  }
}

/** Sends a delta at once to who still waits for the snapshot it belongs on. */
class EagerDeltas extends LiveKey {
  protected override emit(frame: KeyFrame): void {
    super.emit(frame);
    for (const { members } of this.loads) {
      for (const subscription of members) subscription.owner.data(frame.for(subscription.id));
    }
  }
}

/** Drops what a full transport cannot take and continues with the next delta. */
class SilentDrops extends LiveKey {
  protected override emit(frame: KeyFrame): void {
    for (const subscription of this.live) {
      if (subscription.owner.hasRoom(frame.for(subscription.id))) subscription.offer(frame);
    }
    for (const load of this.loads) this.hold(load, frame);
  }
}

/** Starts a snapshot that arrives with more deltas behind it than may be held as if none had been thrown away. */
class ForgottenOverflow extends LiveKey {
  protected override hold(load: Load, frame: KeyFrame): void {
    super.hold(load, frame);
    load.overflowed = false;
  }
}

function changed(
  channel: ChannelDefinition,
  change: (source: KeySource) => Partial<KeySource>,
  wrapped: (sink: KeySink) => KeySink = (sink) => sink,
): ChannelDefinition {
  return {
    name: channel.name,
    resolve(params) {
      const { key, open } = channel.resolve(params);
      return {
        key,
        open: (sink, clock) => {
          const source = open(wrapped(sink), clock);
          const own: KeySource = {
            snapshot: (discardCached) => source.snapshot(discardCached),
            since: (from) => source.since(from),
            close: () => source.close(),
          };
          return { ...own, ...change(source) };
        },
      };
    },
  };
}

/** A resume that hands on the trades it missed and not what was taken back. */
const resumeWithoutRetractions = (channel: ChannelDefinition): ChannelDefinition =>
  changed(channel, (source) => ({
    since: (from) => {
      const pending = source.since(from);
      if (pending === null) return null;
      const ready = pending.ready.then((deltas) => deltas.filter(({ type }) => type !== 'retract'));
      return { ...pending, ready };
    },
  }));

/** A resume from wherever the client says it was, whether what came after is still held or not. */
const resumeFromAnywhere = (channel: ChannelDefinition): ChannelDefinition =>
  changed(channel, (source) => ({
    since: (from) => source.since(from) ?? { ...source.snapshot(false), ready: Promise.resolve([]) },
  }));

/** Candles that a retraction changed stay as they were. */
const candlesKeepRetracted = (channel: ChannelDefinition): ChannelDefinition =>
  changed(
    channel,
    () => ({}),
    (sink) => ({
      add: (make) => sink.add(make),
      available: () => sink.available(),
      reload: (reason) => {
        if (reason === 'lost') sink.reload(reason);
      },
    }),
  );

function listening(reader: ChainReader, wrap: (listener: TailListener) => TailListener): ChainReader {
  const listen: ChainReader['listen'] = (listener) => reader.listen(wrap(listener));
  return Object.create(reader, { listen: { value: listen } }) as ChainReader;
}

/** A jump to newer tables is taken for a quiet chain. */
const jumpsUnheard = (reader: ChainReader): ChainReader =>
  listening(reader, (listener) => {
    let moves = 0;
    return {
      onGroup: (entry) => listener.onGroup(entry),
      onAvailable: () => listener.onAvailable(),
      onReset: (served) => {
        if (moves++ === 0) listener.onReset(served);
      },
    };
  });

/** What a retraction took back is looked for where it is gone already. */
const pinsIgnored = (reader: ChainReader): ChainReader =>
  Object.create(reader, { view: { value: () => reader.view() } }) as ChainReader;

/** Each with a seed that shows it, tried before the others. */
const safeties: [safety: string, off: Variant, witness: number][] = [
  ['a subscription is registered in the turn in which the view is taken', { hub: hubWith(LateRegistration) }, 1012],
  ['no delta goes out before the snapshot', { hub: hubWith(EagerDeltas) }, 1002],
  ['a delta that does not fit ends in lagged and a snapshot', { hub: hubWith(SilentDrops) }, 1002],
  [
    'more deltas than may be held make the snapshot start again',
    { hub: hubWith(ForgottenOverflow), heldBytes: 1_000 },
    1003,
  ],
  ['a resume hands on retractions', { channels: resumeWithoutRetractions }, 1005],
  ['a resume needs every group after it', { channels: resumeFromAnywhere }, 1005],
  ['candles start again after a retraction', { channels: candlesKeepRetracted }, 1005],
  ['a retraction that is not held is read from the view before it', { reader: pinsIgnored }, 1021],
  ['a jump of the reader ends in lagged and a snapshot', { reader: jumpsUnheard }, 1024],
];

const SEEDS_OFF = 200;
const seedsOn = scaled(20, 3);

async function problemsOf(seed: number, variant: Variant): Promise<string[]> {
  const history = randomHistory(seed, { groups: 140, deepest: 64, retractions: 0.08, busiest: 4 });
  const world = new LiveWorld({ history, seed, happened: {}, ...variant });
  await world.run();
  return world.problems;
}

describe('safeties of the live engine (long)', () => {
  it('all on: no seed finds anything', async () => {
    for (let seed = 1_001; seed <= 1_000 + seedsOn; seed++) {
      expect({ seed, problems: await problemsOf(seed, {}) }).toEqual({ seed, problems: [] });
    }
  }, 300_000);

  it.each(safeties)(
    'off: %s',
    async (_, off, witness) => {
      let found: string[] = [];
      for (const seed of [witness, ...Array.from({ length: SEEDS_OFF }, (_, at) => 1_001 + at)]) {
        found = await problemsOf(seed, off);
        if (found.length > 0) break;
      }
      expect(found).not.toEqual([]);
    },
    300_000,
  );
});
