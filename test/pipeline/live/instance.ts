import { type LiveChannels, openLiveChannels } from '#apps/api/test/live-channels.js';
import { LiveHub } from '#libs/serve/live/live-hub.js';
import { TestClock } from '#libs/serve/live/test/test-clock.js';
import type { RestAnswers } from './rest-answers.js';
import { SteppedReader } from './stepped-reader.js';

/** Behind one address every instance has the same. */
const IDENTITY = new Uint8Array(32).fill(3);

/** The live interface of one instance over a log in memory. */
export class Instance {
  readonly clock = new TestClock();
  readonly reader: SteppedReader;
  readonly hub: LiveHub;
  /** What it logged as an error. */
  readonly errors: object[] = [];
  private readonly channels: LiveChannels;

  constructor(answers: RestAnswers, seq: number) {
    this.reader = new SteppedReader(answers, seq);
    this.channels = openLiveChannels(new Map([[answers.chain.slug, this.reader.served]]), IDENTITY);
    const logger = {
      info: () => undefined,
      warn: () => undefined,
      error: (fields: object) => void this.errors.push(fields),
    };
    this.hub = new LiveHub({ channels: this.channels.definitions, logger, clock: this.clock });
  }

  get channelNames(): readonly string[] {
    return this.hub.channelNames;
  }

  close(): void {
    this.hub.close();
    this.channels.close();
  }
}
