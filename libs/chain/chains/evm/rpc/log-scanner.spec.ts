import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { type EvmLog, LogBatch } from '../log-batch.js';
import type { RpcLog } from '../rpc-shapes.js';
import { type LogsAnswer, scanLogsAnswer } from './log-scanner.js';

const seed = testSeed();
const rounds = scaled(500);

const hex = (random: SeededRandom, digits: number): string =>
  `0x${Array.from({ length: digits }, () => '0123456789abcdefABCDEF'[random.int(random.chance(0.9) ? 16 : 22)]).join('')}`;

/** Logs whose addresses, topics, blocks and transactions repeat as they do on a chain. */
function randomLogs(random: SeededRandom): RpcLog[] {
  const addresses = Array.from({ length: 4 }, () => hex(random, 40));
  const topics = Array.from({ length: 6 }, () => hex(random, 64));
  let [block, blockHash, transaction] = [random.int(1000), hex(random, 64), hex(random, 64)];
  return Array.from({ length: random.int(30) }, (_, index) => {
    if (random.chance(0.2)) [block, blockHash] = [block + 1, hex(random, 64)];
    if (random.chance(0.4)) transaction = hex(random, 64);
    return {
      address: addresses[random.int(4)]!,
      topics: Array.from({ length: random.int(5) }, () => topics[random.int(6)]!),
      data: hex(random, 64 * random.int(4)),
      blockHash,
      blockNumber: `0x${block.toString(16)}`,
      transactionHash: transaction,
      transactionIndex: `0x${random.int(300).toString(16)}`,
      logIndex: `0x${index.toString(16)}`,
      removed: random.chance(0.1),
    };
  });
}

/** As some node would write it: fields in one order or another, fields of its own, spaces. */
function written(random: SeededRandom, id: number, logs: readonly RpcLog[]): Buffer {
  const extra = random.chance(0.5) ? { blockTimestamp: '0x6b0160f9', note: null, weight: 12.5 } : {};
  const shuffled = logs.map((log) => {
    const fields = Object.entries({ ...log, ...extra });
    if (random.chance(0.3)) fields.reverse();
    return Object.fromEntries(fields);
  });
  const answer = random.chance(0.5)
    ? { jsonrpc: '2.0', id, result: shuffled }
    : { result: shuffled, id, jsonrpc: '2.0' };
  return Buffer.from(JSON.stringify(answer, null, random.chance(0.3) ? 1 : undefined));
}

const plain = (logs: EvmLog[]) => logs.map((log) => ({ ...log, data: log.data.slice(0, log.data.digits) }));
const logsOf = ({ result }: LogsAnswer) => plain(result.slice().toArray());

describe('scanLogsAnswer', () => {
  it('reads what JSON.parse reads', () => {
    for (let round = 0; round < rounds; round++) {
      const random = new SeededRandom(seed + round);
      const logs = randomLogs(random);
      const body = written(random, round, logs);
      const scanned = scanLogsAnswer(body);
      const parsed = LogBatch.of((JSON.parse(body.toString()) as { result: RpcLog[] }).result)!;
      const answer = scanned && { id: scanned.id, logs: logsOf(scanned) };
      expect({ seed, round, answer }).toEqual({
        seed,
        round,
        answer: { id: round, logs: plain(parsed.slice().toArray()) },
      });
    }
  });

  it('never reads a damaged answer as another one: it leaves it to JSON.parse, or both read the same', () => {
    let refused = 0;
    for (let round = 0; round < rounds * 10; round++) {
      const random = new SeededRandom(seed + round);
      const body = written(random, round, randomLogs(random));
      const at = random.int(body.length);
      if (random.chance(0.5)) body[at] = 32 + random.int(96);
      const cut = random.chance(0.3) ? body.subarray(0, at) : body;
      const scanned = scanLogsAnswer(cut);
      if (scanned === null) {
        refused++;
        continue;
      }
      const parsed = JSON.parse(cut.toString()) as { id: number; result: RpcLog[] };
      const expected = LogBatch.of(parsed.result);
      expect({ seed, round, id: scanned.id }).toEqual({ seed, round, id: parsed.id });
      expect({ seed, round, logs: logsOf(scanned) }).toEqual({ seed, round, logs: plain(expected!.slice().toArray()) });
    }
    expect(refused).toBeGreaterThan(0);
  });

  it.each([
    ['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"slow down"}}'],
    ['no list', '{"jsonrpc":"2.0","id":1,"result":null}'],
    ['no id', '{"jsonrpc":"2.0","result":[]}'],
    ['two results', '{"jsonrpc":"2.0","id":1,"result":[],"result":[]}'],
    ['a list of answers', '[{"jsonrpc":"2.0","id":1,"result":[]}]'],
    ['something behind it', '{"jsonrpc":"2.0","id":1,"result":[]} x'],
    ['nothing', ''],
  ])('leaves %s to JSON.parse', (_, text) => {
    expect(scanLogsAnswer(Buffer.from(text))).toBeNull();
  });

  it('takes an empty list', () => {
    const answer = scanLogsAnswer(Buffer.from('{"jsonrpc":"2.0","id":7,"result":[ ]}\n'));
    expect(answer && [answer.id, answer.result.length]).toEqual([7, 0]);
  });
});
