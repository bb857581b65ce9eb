import type { Hex } from '#libs/core/ids.js';
import { oneSeedAsked, SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import type { BlockGroup, BlocksGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup, encodeBlocksGroup, tellsOfTokens } from '#libs/protocol/codec/blocks-codec.js';
import { BlocksOf, type Said, tokenId } from './test/blocks.js';
import { type SourceNews, TokenSources } from './token-sources.js';

const chain = new BlocksOf('sol');

/** A history whose end is sealed, with retractions of blocks that are not. */
function randomGroups(seed: number): BlocksGroup[] {
  const random = new SeededRandom(seed);
  const groups: BlocksGroup[] = [chain.epoch()];
  let alive: BlockGroup[] = [];
  let sealed = 0;
  let height = 0;
  for (let n = random.int(10, 60); n > 0; n--) {
    const seq = groups.length;
    const open = alive.filter((block) => block.height > sealed);
    const turn = open.length === 0 ? 1 : random.next();
    if (turn < 0.2) {
      const first = random.pick(open);
      alive = alive.filter((block) => block.seq < first.seq);
      height = alive.at(-1)?.height ?? 0;
      groups.push(chain.retract(seq, height, first.seq));
    } else if (turn < 0.4) {
      sealed = random.pick(open).height;
      groups.push(chain.finalize(seq, sealed));
    } else {
      const known = new Set(alive.flatMap(({ tokens }) => tokens.map(({ token }) => token)));
      const met: Hex[] = [];
      const said: Said[] = [];
      for (let events = random.int(0, 3); events > 0; events--) {
        const token = tokenId(random.int(1, 6));
        if (!known.has(token) && !met.includes(token)) met.push(token);
        said.push({ token, uri: random.chance(0.2) ? null : `https://example.com/${random.int(1, 4)}` });
      }
      alive.push(chain.block(seq, ++height, met, said));
      groups.push(alive.at(-1)!);
    }
  }
  return [...groups, chain.finalize(groups.length, height)];
}

/** Of the blocks that nothing took back: the last thing each token said. */
function naive(groups: readonly BlocksGroup[]): Map<Hex, string | null> {
  let alive: BlockGroup[] = [];
  for (const group of groups) {
    if (group.kind === 'retract') alive = alive.filter(({ seq }) => seq < group.fromSeq);
    if (group.kind === 'block') alive.push(group);
  }
  const events = alive.flatMap((block) => block.events);
  return new Map(events.flatMap((event) => (event.kind === 'metadata' ? [[event.token, event.uri] as const] : [])));
}

it('ends with what the surviving blocks say, also when it is read again from where it is settled', () => {
  let compared = 0;
  let updates = 0;
  const first = testSeed();
  const rounds = oneSeedAsked ? 1 : scaled(500);
  const enough = () => oneSeedAsked || (compared > 50 && updates > 10);
  // However few rounds there are, there are more until enough was met.
  for (let n = 0; n < rounds || (n < 1_000 && !enough()); n++) {
    const seed = first + n;
    const groups = randomGroups(seed);
    const random = new SeededRandom(seed + 1);
    const said = new Map<Hex, SourceNews['uri']>();
    let sources = new TokenSources('solana');
    let place = -1;
    for (let at = 0; at < groups.length; ) {
      // A restart forgets what is held in memory and reads on from the last settled place.
      if (random.chance(0.1) && at < groups.length - 1) {
        sources = new TokenSources('solana');
        at = place + 1;
      }
      const bytes = encodeBlocksGroup(groups[at]!);
      const news = tellsOfTokens(bytes) ? sources.take(decodeBlocksGroup(bytes)) : [];
      if (!tellsOfTokens(bytes)) sources.pass(at);
      for (const { token, uri } of news) said.set(token, uri);
      if (groups[at]!.kind === 'finalize') updates += news.length;
      place = Math.max(place, sources.settled);
      at++;
    }
    for (const [token, uri] of naive(groups)) {
      expect({ seed, token, uri: said.get(token) }).toEqual({ seed, token, uri });
      compared++;
    }
  }
  expect({ compared, updates, enough: enough() }).toEqual({ compared, updates, enough: true });
});

it('asks the contracts of an EVM chain, once a token is known', () => {
  const sources = new TokenSources('evm');
  expect(sources.take(chain.block(1, 1, [tokenId(1), tokenId(2)], []))).toEqual([
    { token: tokenId(1), uri: 'ask' },
    { token: tokenId(2), uri: 'ask' },
  ]);
  expect(sources.settled).toBe(1);
});
