// The order of the suites: those over whole programs, chains and browsers first, so that none of them is left to run alone
// at the end. A fresh clone has no times of a run before; jest then goes by the size of the files, which says nothing of these.
import sequencer from '@jest/test-sequencer';

const Sequencer = sequencer.default ?? sequencer;
const WHOLE = [
  'test/upgrades/',
  'test/console/',
  'test/pipeline/kill',
  'test/start/',
  'test/multi-process/',
  'test/recipes/',
];
const SLOW = [
  ...WHOLE,
  'test/pipeline/',
  'libs/pipeline/store/',
  'test/router/',
  'apps/cli/src/program/',
  'apps/ingest/',
  'libs/pipeline/event-log/',
  'libs/devkit/devnet/',
  'apps/api/test/',
  'apps/router/test/',
  'libs/serve/reader/',
  'test/',
];

/** Suites over whole programs: seconds of start for each look. */
export const isWhole = (path) => WHOLE.some((folder) => `/${path}`.includes(`/${folder}`));

export const rank = (path) => {
  const at = SLOW.findIndex((folder) => path.includes(`/${folder}`));
  return at < 0 ? SLOW.length : at;
};

export default class SlowFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => rank(a.path) - rank(b.path));
  }
}
