// Runs the model: every scenario with all of its rules on must hold, and with any one of them off must break.
//   node docs/model/model.mjs quick             small bounds, under a minute: part of npm test
//   node docs/model/model.mjs full              the larger bounds
//   node docs/model/model.mjs quick sink        scenarios whose name starts so; --trace shows the failing traces

import { router, truncation } from './edges.mjs';
import { explore } from './explore.mjs';
import { flushing, numbering } from './facts.mjs';
import { fold } from './fold.mjs';
import { epochSwitch, replay, tail } from './reader.mjs';
import { sink } from './sink.mjs';
import { upgrades } from './upgrades.mjs';
import { chunked, transactional } from './writers.mjs';

const on = (...names) => Object.fromEntries(names.map((name) => [name, true]));

/** `rules` must each break the scenario when switched off; `also` are on throughout (other scenarios guard them). */
const scenarios = [
  {
    name: 'writers, transactional',
    model: transactional,
    rules: ['fenceBeforeRead', 'rereadAfterUnknown', 'oneIdPerEpoch'],
    also: on('chunksCarrySeq'),
    quick: { blocks: 2, reorgs: 1, kills: 1 },
    full: { blocks: 3, reorgs: 1, kills: 2 },
  },
  {
    name: 'writers, chunked',
    model: chunked,
    rules: ['chunksCarrySeq', 'compareAndAppend'],
    also: {},
    quick: { blocks: 2, reorgs: 1, kills: 1, expiries: 1 },
    full: { blocks: 3, reorgs: 1, kills: 2, expiries: 2 },
  },
  {
    name: 'two logs and power loss',
    model: flushing,
    rules: ['readOnlyFlushed', 'compareInputHash'],
    also: {},
    quick: { blocks: 3, losses: 1, restores: 1 },
    full: { blocks: 5, losses: 2, restores: 2 },
  },
  {
    name: 'numbers of facts',
    model: numbering,
    rules: ['oneGroupEach', 'versionInEpoch'],
    also: {},
    quick: { length: 4, kills: 1, upgrades: 1 },
    full: { length: 6, kills: 2, upgrades: 1 },
  },
  {
    name: 'fold',
    model: fold,
    rules: ['storeTravelsWithSnapshot', 'snapshotOfSurvivor', 'noFinalizeWhileRefolding', 'ladderKeepsGenesis'],
    also: {},
    quick: { length: 7, kills: 1, retractions: 1, deep: 1 },
    full: { length: 8, kills: 1, retractions: 2, deep: 2 },
  },
  {
    name: 'truncated log',
    model: truncation,
    rules: ['cutBelowConsumers', 'newEpochBelowSnapshots'],
    also: {},
    quick: { blocks: 4 },
    full: { blocks: 8 },
  },
  {
    name: 'router',
    model: router,
    rules: ['absoluteRetractions', 'compactedToo', 'startInclusive'],
    also: {},
    quick: { length: 6, deep: 1 },
    full: { length: 7, deep: 1 },
  },
  {
    name: 'sink, crashes and evicted tokens',
    model: sink,
    rules: ['countRowsFirst', 'countRowsAfter', 'sameRangeAgain'],
    also: on(
      'fencedIntents',
      'wholeCheckpointRow',
      'versionedSeals',
      'rebuildTouched',
      'finishFirst',
      'purgeOnlyUnpinned',
    ),
    quick: { length: 3, kills: 1, torn: 1, evictions: 1 },
    full: { length: 4, kills: 2, torn: 1, evictions: 1 },
  },
  {
    name: 'sink, zombie',
    model: sink,
    rules: ['fencedIntents'],
    also: on(
      'countRowsFirst',
      'countRowsAfter',
      'sameRangeAgain',
      'wholeCheckpointRow',
      'versionedSeals',
      'rebuildTouched',
      'finishFirst',
      'purgeOnlyUnpinned',
    ),
    quick: { length: 3, kills: 0, zombies: 1 },
    full: { length: 4, kills: 1, zombies: 1 },
  },
  {
    name: 'sink, seals and retractions below finality',
    model: sink,
    rules: ['wholeCheckpointRow', 'rebuildTouched', 'finishFirst'],
    also: on(
      'countRowsFirst',
      'countRowsAfter',
      'sameRangeAgain',
      'fencedIntents',
      'versionedSeals',
      'purgeOnlyUnpinned',
    ),
    quick: { length: 5, kills: 1, deep: 1 },
    full: { length: 6, kills: 1, deep: 1 },
  },
  {
    name: 'sink, pinned views and purge',
    model: sink,
    rules: ['versionedSeals', 'purgeOnlyUnpinned'],
    also: on(
      'countRowsFirst',
      'countRowsAfter',
      'sameRangeAgain',
      'fencedIntents',
      'wholeCheckpointRow',
      'rebuildTouched',
      'finishFirst',
    ),
    quick: { length: 5, kills: 0, deep: 1, pins: 1, purges: 1 },
    full: { length: 5, kills: 1, deep: 1, pins: 1, purges: 1 },
  },
  {
    name: 'reader, tail and checkpoint',
    model: tail,
    rules: ['trimAtCheckpoint', 'adoptOnlyBehind', 'oneTurn'],
    also: {},
    quick: { length: 4, deep: 0 },
    full: { length: 6, deep: 1 },
  },
  {
    name: 'replay beside live',
    model: replay,
    rules: ['onePointer', 'flipOnlyWhenAhead'],
    also: {},
    quick: { length: 3 },
    full: { length: 5 },
  },
  {
    name: 'switch of epochs',
    model: epochSwitch,
    rules: ['switchTogether'],
    also: {},
    quick: { heights: 4 },
    full: { heights: 6 },
  },
  {
    name: 'upgrades',
    model: upgrades,
    rules: ['ownFactsOnly', 'asFarForward', 'continueBuilt', 'pointerDecides'],
    also: {},
    quick: { blocks: 3, exchanges: 2, kills: 1 },
    full: { blocks: 4, exchanges: 3, kills: 2 },
  },
];

function report(words, result, expected, showTrace) {
  const broke = result.violation !== null;
  const right = broke === expected;
  const found = broke ? `${result.violation} (after ${Math.max(0, result.trace.length - 1)} steps)` : 'holds';
  console.log(`${right ? 'ok    ' : 'WRONG '} ${words}: ${found}, ${result.states.toLocaleString('en-US')} states`);
  if (broke && (showTrace || !right))
    for (const [index, label] of result.trace.entries()) console.log(`         ${index}. ${label}`);
  return right;
}

function main(argv) {
  const [size = 'quick', ...names] = argv.filter((word) => !word.startsWith('--'));
  if (size !== 'quick' && size !== 'full') {
    console.error('usage: node docs/model/model.mjs quick|full [scenario] [--trace]');
    return 2;
  }
  const showTrace = argv.includes('--trace');
  const chosen = scenarios.filter(({ name }) => names.length === 0 || name.startsWith(names.join(' ')));
  if (chosen.length === 0) {
    console.error(
      `no scenario starts with ${names.join(' ')}; there are: ${scenarios.map(({ name }) => name).join('; ')}`,
    );
    return 2;
  }
  let passed = 0;
  let failed = 0;
  const count = (right) => (right ? passed++ : failed++);
  for (const { name, model, rules, also, ...bounds } of chosen) {
    const all = { ...also, ...on(...rules) };
    count(report(`${name}, all rules on`, explore(model, all, bounds[size]), false, showTrace));
    for (const rule of rules) {
      count(
        report(`${name}, without ${rule}`, explore(model, { ...all, [rule]: false }, bounds[size]), true, showTrace),
      );
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
