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

  describe('with a channel', () => {
    const name = `wake-up.spec ${process.pid}`;
    const never = new AbortController().signal;

    test('wakes those that listen, also where what appends does not', async () => {
      const [listening, silent] = [new WakeUp(name), new WakeUp(name)];
      listening.listen();
      for (let round = 0; round < 3; round++) {
        const seen = listening.version('t');
        silent.notify(['t']);
        await listening.wait('t', seen, LONG, never);
        expect(listening.version('t')).toBe(seen + 1);
      }
      listening.close();
      silent.close();
    });

    test('leaves alone what does not listen', async () => {
      const [silent, first, second] = [new WakeUp(name), new WakeUp(name), new WakeUp(name)];
      first.listen();
      second.listen();
      const seen = second.version('t');
      first.notify(['t']);
      await second.wait('t', seen, LONG, never);
      await new Promise(setImmediate);
      expect(silent.version('t')).toBe(0);
      for (const wakeUp of [silent, first, second]) wakeUp.close();
    });

    test('says nothing more once it is closed', async () => {
      const [listening, closed, other] = [new WakeUp(name), new WakeUp(name), new WakeUp(name)];
      listening.listen();
      closed.close();
      closed.notify(['t']);
      closed.listen();
      other.notify(['last']);
      await listening.wait('last', 0, LONG, never);
      expect(listening.version('t')).toBe(0);
      listening.close();
      other.close();
    });
  });
});
