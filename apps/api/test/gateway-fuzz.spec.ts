import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { type FaultRpc, startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import { collectGarbage } from '#libs/devkit/testing/collect-garbage.js';
import { type SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { GatewayHarness } from './gateway-harness.js';

/** Bodies that no client would send: each is answered in JSON-RPC or with a plain 4xx, nothing of it stays in memory. */
const MOST_BODY = 262_144;
const PLAIN = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';

let node: FaultRpc;
let gateway: GatewayHarness;
beforeAll(async () => {
  const chain = new ChainBuilder({ seed: 9 });
  chain.mine(5);
  node = await startFaultRpc({ chain });
  gateway = await GatewayHarness.start({ eth: [node.url] });
});
afterAll(async () => {
  await gateway.close();
  await node.close();
});

const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

/** Values of JSON, and texts that are none. */
function value(random: SeededRandom): string {
  return random.pick([
    ...[
      'null',
      'true',
      '1e400',
      '-0',
      '0.0',
      '9'.repeat(1 + random.below(2_000)),
      `-${'1'.repeat(40)}e-${'9'.repeat(9)}`,
    ],
    ...['""', '"\\ud800"', '"\\u0000"', '"\u2028é🌊"', '"\\x"', '"__proto__"', '[]', '{}', '[[[]]]', '{"a":{"a":{}}}'],
    nested('[', ']', 1 + random.below(100)),
    nested('{"a":', '}', 1 + random.below(100)),
    ...['01', '+1', '.5', '1.', 'NaN', 'undefined', "'x'", '"', '[', '{', '{"a"}', '[1,]', '\u0000'],
    `"${'x'.repeat(random.below(3_000))}"`,
  ]);
}

function call(random: SeededRandom): string {
  const names = ['jsonrpc', 'id', 'method', 'params', '__proto__', 'constructor', 'toString', '\\u0069d', ''];
  const usual: Record<string, string> = {
    jsonrpc: '"2.0"',
    id: '1',
    method: random.pick([
      '"eth_chainId"',
      '"anvil_setBalance"',
      '"eth_blockNumber"',
      '"constructor"',
      '"__proto__"',
      '"é"',
    ]),
    params: '[]',
  };
  const members = Object.entries(usual).filter(() => random.chance(0.9));
  for (let n = random.below(4); n > 0; n--) members.push([random.pick(names), value(random)]);
  if (random.chance(0.3)) members.reverse();
  return `{${members.map(([name, content]) => `"${name}":${random.chance(0.85) ? content : value(random)}`).join(',')}}`;
}

function body(random: SeededRandom): Buffer {
  const text = random.pick([
    () => call(random),
    () => value(random),
    () => `[${Array.from({ length: random.pick([0, 1, 2, 99, 100, 101]) }, () => call(random)).join(',')}]`,
    () => nested('[', ']', random.pick([63, 64, 65, 1_000, 100_000])),
    () => `${'\ufeff'.repeat(random.below(3))}${call(random)}`,
    () => `{"jsonrpc":"2.0","id":"${'i'.repeat(random.below(100_000))}","method":"eth_chainId"}`,
    () => `{"jsonrpc":"2.0","id":1,"method":"${'m'.repeat(random.below(100_000))}"}`,
    () => `{"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["${'0'.repeat(random.below(200_000))}","latest"]}`,
    () => PLAIN + ' '.repeat(random.pick([0, MOST_BODY - PLAIN.length, MOST_BODY - PLAIN.length + 1])),
  ])();
  const bytes = Buffer.from(text);
  if (random.chance(0.2) && bytes.length > 0) {
    for (let n = random.below(6); n >= 0; n--) bytes[random.below(bytes.length)] = random.below(256);
  }
  return bytes;
}

async function send(bytes: Buffer): Promise<{ status: number; text: string }> {
  const headers = { 'x-api-key': gateway.key };
  const response = await fetch(`${gateway.url}/eth`, { method: 'POST', body: new Uint8Array(bytes), headers });
  return { status: response.status, text: await response.text() };
}

/** What every answer has to be. */
function judged(sent: Buffer, { status, text }: { status: number; text: string }): number {
  const about = { sent: sent.toString('latin1').slice(0, 300), status, text: text.slice(0, 300) };
  expect({ ...about, allowed: [200, 204, 413].includes(status) }).toMatchObject({ allowed: true });
  expect({ ...about, is413: status === 413 }).toEqual({ ...about, is413: sent.length > MOST_BODY });
  if (status !== 200) return 0;
  const replies = [JSON.parse(text)].flat() as { jsonrpc: string; id: unknown; error?: { code: number } }[];
  for (const reply of replies) {
    expect({ about, reply }).toMatchObject({ reply: { jsonrpc: '2.0' } });
    expect(Object.keys(reply).sort()).toEqual([
      'error' in reply ? 'error' : 'id',
      'error' in reply ? 'id' : 'jsonrpc',
      'error' in reply ? 'jsonrpc' : 'result',
    ]);
    expect({ about, code: reply.error?.code }).not.toMatchObject({ code: -32603 });
  }
  return replies.length;
}

it('answers whatever is sent, keeps nothing of it and stays in order', async () => {
  await withSeed('gateway fuzz', async (random) => {
    const rounds = scaled(3_000, 300);
    let replies = 0;
    let before = 0;
    for (let n = 0; n < rounds; n++) {
      const sent = body(random);
      replies += judged(sent, await send(sent));
      if (n === rounds >> 2) {
        collectGarbage();
        before = process.memoryUsage().heapUsed;
      }
    }
    expect(replies).toBeGreaterThan(rounds / 2);
    collectGarbage();
    // Kept answers have 32 MB at most; the bodies of the rounds together are many times as much at full count.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(48 * 1024 * 1024);
    expect(gateway.listener.status()).toEqual([expect.objectContaining({ chain: 'eth', open: 0 })]);
    expect(gateway.logged).toEqual([]);
    expect((await send(Buffer.from(PLAIN))).text).toBe('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
  });
}, 600_000);

it('takes the last of a name that comes twice, for the policy as for the node', async () => {
  const asked = () => node.stats.methods.anvil_mine ?? 0;
  const cases: [string, number | undefined][] = [
    ['{"jsonrpc":"2.0","id":1,"method":"eth_chainId","method":"anvil_mine"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"anvil_mine","method":"eth_chainId"}', undefined],
    ['{"jsonrpc":"2.0","id":1,"method":"anvil_mine","\\u006dethod":"eth_chainId"}', undefined],
    ['{"jsonrpc":"2.0","id":1,"method":"eth_chainId","m\\u0065thod":"anvil_mine"}', -32601],
  ];
  for (const [text, code] of cases) {
    const reply = JSON.parse((await send(Buffer.from(text))).text);
    expect({ text, code: reply.error?.code }).toEqual({ text, code });
  }
  expect(asked()).toBe(0);
});
