import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { oneSeedAsked, propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { everyChannel } from './live/channel-requests.js';
import type { Happened } from './live/happened.js';
import { Instance } from './live/instance.js';
import { ModelClient } from './live/model-client.js';
import { RestAnswers } from './live/rest-answers.js';
import { settle } from './scheduler.js';
import { foldAll } from './world-checks.js';

/**
 * Two instances of the api behind one address, each at its own place of the log. Clients lose their connection again and again
 * and subscribe from where they were, on the other instance as often as on the same one: after every frame they hold what REST
 * answers at its block, no frame comes twice and none is left out.
 */
const DISCONNECTS = scaled(1_000, 100);
const families = ['evm', 'solana'] as const;
const happened: Happened = {};

async function run(seed: number, family: (typeof families)[number], most: number): Promise<number> {
  const random = new SeededRandom(seed);
  const history = randomHistory(seed, {
    family,
    groups: 120,
    retractions: 0.08,
    deepest: 20,
    busiest: 4,
    traders: seed % 2 === 0,
  });
  const { token, symbol, decimals } = history.reference.coin;
  const chain = { ...chainSpec(history.groups[0]!.chain)!, wrappedNative: { token, symbol, decimals } };
  const facts = foldAll(history.groups);
  const answers = new RestAnswers(chain, facts);
  const start = 30;
  const instances = [new Instance(answers, start), new Instance(answers, start + random.int(0, 4))];
  const problems: string[] = [];
  const clients = everyChannel(answers, random).map((request) => {
    const client = new ModelClient(request.channel, answers, happened, (problem) => problems.push(problem));
    client.connect(random.pick(instances).hub);
    client.subscribe(request);
    return client;
  });
  let lost = 0;
  while (lost < most && problems.length === 0 && instances.some(({ reader }) => reader.seq < reader.last)) {
    for (const { reader } of instances) {
      // One may be behind, but not without end.
      const ahead = Math.max(...instances.map((each) => each.reader.seq)) - reader.seq;
      reader.step(random.int(ahead > 8 ? 1 : 0, 2));
    }
    if (random.chance(0.7)) await settle();
    for (const client of clients) {
      if (random.chance(0.6)) await client.read(random.int(1, 8));
      if (!random.chance(0.25)) continue;
      client.disconnect();
      lost++;
      client.connect(random.pick(instances).hub);
    }
  }
  // At rest: everything is read, on the instance that each is connected to.
  for (const { reader } of instances) reader.step(reader.last);
  const readAll = async (): Promise<void> => {
    for (let quiet = 0; quiet < 3; quiet++) {
      await settle();
      for (const client of clients) {
        if (client.unread > 0) quiet = 0;
        await client.read(Number.POSITIVE_INFINITY);
      }
    }
  };
  await readAll();
  // What comes every minute.
  for (const { clock } of instances) clock.move(60_000);
  await readAll();
  const view = instances[0]!.reader.view();
  for (const client of clients) {
    for (const subscription of client.subscriptions.values()) {
      const problem = await subscription.compareWith(view);
      happened['compared at rest'] = (happened['compared at rest'] ?? 0) + 1;
      if (problem !== null) problems.push(`${subscription.describe()}: ${problem}`);
    }
  }
  for (const instance of instances) instance.close();
  const errors = instances.flatMap((instance) => instance.errors);
  expect({ seed, family, problems, errors }).toEqual({ seed, family, problems: [], errors: [] });
  return lost;
}

describe.each(families)('clients of %s that lose their connection', (family) => {
  it(`lose and repeat nothing in ${DISCONNECTS} times, on whichever instance they continue`, async () => {
    let lost = 0;
    for (const seed of propertySeeds(10_000, family === 'evm' ? 1 : 2)) {
      lost += await run(seed, family, DISCONNECTS - lost);
      if (lost >= DISCONNECTS || oneSeedAsked) break;
    }
    if (!oneSeedAsked) expect(lost).toBeGreaterThanOrEqual(DISCONNECTS);
  });
});

it('until every kind of frame was met', async () => {
  if (oneSeedAsked) return;
  const channels = ['token', 'pairs', 'holders', 'traders', 'wallet', 'prices'].map((name) => `compared ${name}`);
  const frames = ['snapshot', 'trades', 'retract', 'candles', 'token', 'prices', 'resumed'];
  const never = (): string[] =>
    [...channels, ...frames, 'compared at rest'].filter((what) => (happened[what] ?? 0) === 0);
  for (let seed = 20_000; never().length > 0 && seed < 20_100; seed++) await run(seed, 'evm', DISCONNECTS);
  expect({ never: never(), happened }).toEqual({ never: [], happened });
});
