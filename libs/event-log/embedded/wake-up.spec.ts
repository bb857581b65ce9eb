import { WakeUp } from './wake-up.js';

const LONG = 3_600_000;

describe('WakeUp', () => {
  test('a notify between the look and the wait is not missed', async () => {
    const wakeUp = new WakeUp();
    const seen = wakeUp.version('a');
    wakeUp.notify(['a']);
    await wakeUp.wait('a', seen, LONG, new AbortController().signal);
  });

  test('an append to another topic wakes nobody', async () => {
    const wakeUp = new WakeUp();
    const abort = new AbortController();
    let woken = false;
    const waiting = wakeUp.wait('a', 0, LONG, abort.signal).then(() => {
      woken = true;
    });
    wakeUp.notify(['b']);
    await new Promise(setImmediate);
    expect(woken).toBe(false);
    wakeUp.notify(['b', 'a']);
    await waiting;
    abort.abort();
  });

  test('notify wakes all that wait, an abort the one that was aborted', async () => {
    const wakeUp = new WakeUp();
    const abort = new AbortController();
    const woken: string[] = [];
    const waiting = [
      wakeUp.wait('t', 0, LONG, abort.signal).then(() => woken.push('aborted')),
      wakeUp.wait('t', 0, LONG, new AbortController().signal).then(() => woken.push('a')),
      wakeUp.wait('t', 0, LONG, new AbortController().signal).then(() => woken.push('b')),
    ];
    abort.abort();
    await waiting[0];
    expect(woken).toEqual(['aborted']);
    wakeUp.notify(['t']);
    await Promise.all(waiting);
    expect(woken).toEqual(['aborted', 'a', 'b']);
  });

  test('the poll interval ends a wait that no append wakes', async () => {
    await new WakeUp().wait('t', 0, 1, new AbortController().signal);
  });
});
