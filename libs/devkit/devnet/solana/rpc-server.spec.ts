import { WebSocket } from 'ws';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { testScale as scale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { type LocalSolana, startLocalSolana } from './local-solana.js';
import { rpcCall, rpcText } from './test/rpc-call.js';

/** Whatever a client sends, the answer is a result or an error that names the rule; never an internal one. */
const METHODS = `getHealth getVersion getGenesisHash getSlot getBlockHeight getTransactionCount getEpochInfo
getFirstAvailableBlock minimumLedgerSlot getBlock getBlockTime getBlocks getBlocksWithLimit getLatestBlockhash
isBlockhashValid getRecentPrioritizationFees getAccountInfo getMultipleAccounts getProgramAccounts getBalance
getTokenAccountBalance getTokenSupply getTokenAccountsByOwner getTokenAccountsByDelegate
getMinimumBalanceForRentExemption sendTransaction simulateTransaction requestAirdrop getFeeForMessage getTransaction
getSignatureStatuses getSignaturesForAddress devnet_slot devnet_skip devnet_fork devnet_deploy devnet_setAccount
devnet_pause devnet_resume nothing __proto__ constructor`.split(/\s+/);
const SUBSCRIPTIONS = ['slot', 'root', 'logs', 'account', 'program', 'signature', 'block', 'vote'];

let chain: LocalSolana;
beforeAll(async () => {
  // Among the calls is the one that lets slots come by themselves: none comes while this runs.
  chain = await startLocalSolana({ seed: 3, slotMs: 1e9 });
  chain.airdrop('So11111111111111111111111111111111111111112', 10n ** 9n);
  for (let i = 0; i < 40; i++) chain.slot();
});
afterAll(() => chain.stop());

const VALUES: unknown[] = [
  ...[undefined, null, true, 0, 1, 2, 5, -1, 1.5, 39, 1e6, 2 ** 60, 1e300, '', 'a', 'base64', 'processed', 'finalized'],
  ...['all', 'So11111111111111111111111111111111111111112', '11111111111111111111111111111111', 'AQ==', 'AQAB'],
  ...['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', '1'.repeat(64), '1'.repeat(88), 'é'.repeat(9), '\u0000'],
];
const NAMES = `commitment encoding minContextSlot dataSlice offset length filters dataSize memcmp bytes withContext mint
programId limit before until sigVerify replaceRecentBlockhash accounts addresses innerInstructions skipPreflight
preflightCommitment maxRetries transactionDetails rewards showRewards maxSupportedTransactionVersion mentions
mentionsAccountOrProgram searchTransactionHistory enableReceivedNotification drop sameSlots lamports owner data`.split(
  /\s+/,
);

function any(random: SeededRandom, depth = 0): unknown {
  const kind = random.int(depth > 2 ? 6 : 10);
  if (kind < 6) return random.pick(VALUES);
  if (kind < 8) return Array.from({ length: random.int(4) }, () => any(random, depth + 1));
  const fields = Array.from({ length: random.int(5) }, () => [random.pick(NAMES), any(random, depth + 1)]);
  return Object.fromEntries(fields);
}

test('random calls over HTTP are answered and leave the chain working', async () => {
  const seed = testSeed(41);
  const random = new SeededRandom(seed);
  const codes = new Set<number | undefined>();
  for (let i = 0; i < 30_000 * scale; i++) {
    const method = random.pick(METHODS);
    const params = Array.from({ length: random.int(4) }, () => any(random));
    const { error } = await rpcCall(chain.rpcUrl, method, ...params);
    codes.add(error?.code);
    if (error?.code === -32603) throw new Error(`seed ${seed}: ${method} ${JSON.stringify(params)}`);
  }
  for (const code of [undefined, -32601, -32602]) expect(codes).toContain(code);
  expect((await rpcCall(chain.rpcUrl, 'getHealth')).result).toBe('ok');
});

test('random calls over a socket are answered', async () => {
  const random = new SeededRandom(43);
  const socket = new WebSocket(chain.wsUrl);
  await new Promise((resolve) => socket.once('open', resolve));
  const codes = new Set<number | undefined>();
  const waiting = new Map<number, (code: number | undefined) => void>();
  socket.on('message', (data) => {
    const { id, error } = JSON.parse(String(data)) as { id?: number; error?: { code: number } };
    if (id !== undefined) waiting.get(id)?.(error?.code);
  });
  for (let id = 1; id < 5000 * scale; id++) {
    const method = `${random.pick(SUBSCRIPTIONS)}${random.chance(0.7) ? 'Subscribe' : 'Unsubscribe'}`;
    const answered = new Promise<number | undefined>((resolve) => waiting.set(id, resolve));
    const params = Array.from({ length: random.int(3) }, () => any(random));
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const code = await answered;
    codes.add(code);
    expect(code).not.toBe(-32603);
    if (random.chance(0.05)) chain.slot();
  }
  for (const code of [undefined, -32601, -32602]) expect(codes).toContain(code);
  socket.terminate();
});

test('what the chain refuses to hold changes nothing', async () => {
  const id = '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR8';
  const before = (await rpcCall(chain.rpcUrl, 'getBlockHeight', { commitment: 'processed' })).result;
  const wrong = await rpcCall(chain.rpcUrl, 'devnet_deploy', id, Buffer.from('no program').toString('base64'));
  expect(wrong.error).toMatchObject({ code: -32602, message: expect.stringContaining(id) });
  const clock = { lamports: 1, owner: id, data: 'AQ==' };
  const sysvar = await rpcCall(chain.rpcUrl, 'devnet_setAccount', 'SysvarC1ock11111111111111111111111111111111', clock);
  expect(sysvar.error?.code).toBe(-32602);
  expect(chain.account(id)).toBeNull();
  expect((await rpcCall(chain.rpcUrl, 'getBlockHeight', { commitment: 'processed' })).result).toBe(before);
  expect(chain.slot().height).toBe(before + 1);
});

test('texts that are no calls; batches; other verbs', async () => {
  expect((await rpcText(chain.rpcUrl, '{')).error?.code).toBe(-32700);
  expect((await rpcText(chain.rpcUrl, '[]')).error?.code).toBe(-32600);
  expect((await rpcText(chain.rpcUrl, '7')).error?.code).toBe(-32600);
  expect((await rpcText(chain.rpcUrl, '{"method":"getSlot","params":{}}')).error?.code).toBe(-32602);
  const batch = (await rpcText(chain.rpcUrl, '[{"id":1,"method":"getHealth"},{"id":2,"method":"no"}]')) as unknown;
  expect(batch).toMatchObject([
    { id: 1, result: 'ok' },
    { id: 2, error: { code: -32601 } },
  ]);
  expect((await fetch(chain.rpcUrl)).status).toBe(405);
  expect(await (await fetch(`${chain.rpcUrl}/health`)).text()).toBe('ok');
  expect((await fetch(chain.wsUrl.replace('ws', 'http'))).status).toBe(426);
});
