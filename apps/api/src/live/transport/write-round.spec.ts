import { AT_ONCE, WriteRound } from './write-round.js';

/** A connection that keeps what it is given until it is written. */
class Crowded {
  readonly writes: string[][] = [];
  private unwritten: string[] = [];

  constructor(private readonly round: WriteRound) {}

  send(text: string): void {
    if (this.unwritten.length === 0) this.round.add(this);
    this.unwritten.push(text);
  }

  flush(): void {
    if (this.unwritten.length > 0) this.writes.push(this.unwritten);
    this.unwritten = [];
  }
}

const turn = (): Promise<void> => new Promise((done) => void setImmediate(done));
const crowd = (count: number): Crowded[] => {
  const round = new WriteRound();
  return Array.from({ length: count }, () => new Crowded(round));
};
const served = (connections: readonly Crowded[]): number =>
  connections.filter(({ writes }) => writes.length > 0).length;

it('what a turn sent leaves at its end, in one write a connection', async () => {
  const connections = crowd(AT_ONCE);
  for (const text of ['a', 'b']) for (const connection of connections) connection.send(text);
  expect(served(connections)).toBe(0);
  await turn();
  for (const { writes } of connections) expect(writes).toEqual([['a', 'b']]);
});

it('a crowd is written over several turns, the first ones first', async () => {
  const connections = crowd(3 * AT_ONCE + 1);
  for (const connection of connections) connection.send('a');
  for (let turns = 1; turns <= 3; turns++) {
    await turn();
    expect(served(connections)).toBe(turns * AT_ONCE);
    expect(served(connections.slice(0, turns * AT_ONCE))).toBe(turns * AT_ONCE);
  }
  await turn();
  for (const { writes } of connections) expect(writes).toEqual([['a']]);
});

it('what comes while a crowd is written leaves with what still waits, and behind the crowd for those that had their turn', async () => {
  const connections = crowd(4 * AT_ONCE);
  for (const connection of connections) connection.send('a');
  await turn();
  for (const connection of connections) connection.send('b');
  for (let turns = 0; turns < 3; turns++) await turn();
  const [early, late] = [connections.slice(0, AT_ONCE), connections.slice(AT_ONCE)];
  for (const { writes } of early) expect(writes).toEqual([['a']]);
  for (const { writes } of late) expect(writes).toEqual([['a', 'b']]);
  await turn();
  for (const { writes } of early) expect(writes).toEqual([['a'], ['b']]);
});

it('a connection that writes by itself meanwhile is passed over', async () => {
  const connections = crowd(2 * AT_ONCE);
  for (const connection of connections) connection.send('a');
  const last = connections.at(-1)!;
  last.flush();
  last.send('b');
  for (let turns = 0; turns < 3; turns++) await turn();
  expect(last.writes).toEqual([['a'], ['b']]);
});

it('every connection gets all of what it was sent in its order, whenever it comes', async () => {
  const connections = crowd(2 * AT_ONCE + 7);
  for (let n = 0; n < 50; n++) {
    for (const connection of connections) connection.send(String(n));
    if (n % 3 > 0) await turn();
  }
  for (let turns = 0; turns < 4; turns++) await turn();
  const all = Array.from({ length: 50 }, (_, n) => String(n));
  for (const { writes } of connections) expect(writes.flat()).toEqual(all);
});
