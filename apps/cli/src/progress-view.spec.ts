import { duration } from '#libs/platform/duration.js';
import { ProgressView } from './progress-view.js';

function viewOn(isTTY: boolean): { view: ProgressView; out: string[]; clock: { now: number } } {
  const out: string[] = [];
  const clock = { now: 0 };
  const view = new ProgressView({ isTTY, columns: 80, write: (text) => out.push(String(text)) }, () => clock.now);
  return { view, out, clock };
}

const at = (done: number, total: number | null = 1_000) => ({ label: 'replay eth', done, total, unit: 'groups' });

it('is a line now and then where nobody watches, and always one at the end', () => {
  const { view, out, clock } = viewOn(false);
  for (let done = 0; done <= 1_000; done += 10) {
    clock.now = done * 10;
    view.show(at(done));
  }
  expect(out).toEqual([
    'replay eth: 0 % (0 of 1,000 groups)\n',
    'replay eth: 50 % (500 of 1,000 groups, 5 s left)\n',
    'replay eth: 100 % (1,000 of 1,000 groups)\n',
  ]);
});

it('is one bar that is drawn over on a terminal', () => {
  const { view, out, clock } = viewOn(true);
  view.show(at(0));
  clock.now = 50;
  view.show(at(1));
  clock.now = 1_000;
  view.show(at(500));
  view.end();
  view.end();
  expect(out).toEqual([
    '\r\u001b[Kreplay eth: [........................] 0 % (0 of 1,000 groups)',
    '\r\u001b[Kreplay eth: [############............] 50 % (500 of 1,000 groups, 1 s left)',
    '\n',
  ]);
});

it('counts where no total is known, and measures what is left from where it began', () => {
  const { view, out } = viewOn(false);
  view.show(at(900, null));
  expect(out).toEqual(['replay eth: 900 groups\n']);
  const resumed = viewOn(false);
  resumed.view.show(at(900));
  resumed.clock.now = 5_000;
  resumed.view.show(at(950));
  expect(resumed.out[1]).toBe('replay eth: 95 % (950 of 1,000 groups, 5 s left)\n');
});

it('says durations as people do', () => {
  expect([59, 60, 3_599, 3_600, 90_061].map(duration)).toEqual([
    '59 s',
    '1 min 0 s',
    '59 min 59 s',
    '1 h 0 min',
    '25 h 1 min',
  ]);
});
