import { request } from 'node:http';
import { Connection, Keypair } from '@solana/web3.js';
import { createPublicClient, createWalletClient, http, keccak256, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { mainnet } from 'viem/chains';
import { parse } from 'yaml';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import { type AnvilProcess, startAnvil } from '#libs/devkit/devnet/evm/anvil-process.js';
import { type LocalSolana, startLocalSolana } from '#libs/devkit/devnet/solana/local-solana.js';
import { closeClient } from '#libs/devkit/devnet/solana/test/close-client.js';
import { until } from '#libs/devkit/testing/until.js';
import { GatewayHarness } from './gateway-harness.js';
import { GatewayOverNodes } from './gateway-over-nodes.js';

/** What a node's URL may hold and no client may see. */
const SECRET = '/v3/0123456789abcdefsecret';

describe('the JSON-RPC gateway', () => {
  let solana: LocalSolana;
  let gateway: GatewayHarness;

  beforeAll(async () => {
    solana = await startLocalSolana({ confirmedDepth: 0 });
    gateway = await GatewayHarness.start({ sol: [solana.rpcUrl] });
  });
  afterAll(async () => {
    await gateway.close();
    await solana.stop();
  });

  it('gives every id back as it was sent', async () => {
    const ids = ['1', '0', '-7', '1.50', '1e3', '123456789012345678901234567890', '"a\\"b"', '"é"', '""', 'null'];
    for (const id of ids) {
      const { status, text } = await gateway.post('/', `{"jsonrpc":"2.0","id":${id},"method":"getGenesisHash"}`);
      expect({ status, text }).toEqual({
        status: 200,
        text: `{"jsonrpc":"2.0","id":${id},"result":"${solana.genesisHash}"}`,
      });
    }
    const calls = ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"getHealth"}`);
    const { text } = await gateway.post('/', `[${calls.join(',')}]`);
    expect(text).toBe(`[${ids.map((id) => `{"jsonrpc":"2.0","id":${id},"result":"ok"}`).join(',')}]`);
  });

  it('answers no notification, and a request of notifications alone with 204', async () => {
    const note = '{"jsonrpc":"2.0","method":"getHealth"}';
    const alone = await gateway.post('/', note);
    expect(alone).toMatchObject({ status: 204, text: '' });
    expect(alone.headers.get('content-length')).toBeNull();
    expect(await gateway.post('/', `[${note},${note}]`)).toMatchObject({ status: 204, text: '' });
    const mixed = await gateway.post('/', `[${note},{"jsonrpc":"2.0","id":2,"method":"getHealth"},${note}]`);
    expect(mixed.body).toEqual([{ jsonrpc: '2.0', id: 2, result: 'ok' }]);
  });

  it('takes calls as clients send them: without parameters, with null, with members of their own', async () => {
    const ok = (id: string) => `{"jsonrpc":"2.0","id":${id},"result":"ok"}`;
    const sent = [
      '{"jsonrpc":"2.0","id":1,"method":"getHealth","params":null}',
      '{"jsonrpc":"2.0","id":1,"method":"getHealth","params":[]}',
      '{"params":null,"method":"getHealth","id":1,"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":1,"method":"getHealth","chainId":"0x1","networkClientId":"x","origin":null,"result":7}',
      ' \n{"jsonrpc":"2.0","id":1,"method":"getHealth"}\r\n',
    ];
    for (const body of sent) expect([body, (await gateway.post('/', body)).text]).toEqual([body, ok('1')]);
    expect((await gateway.post('/', `[${sent.slice(0, 4).join(',')}]`)).text).toBe(
      `[${Array(4).fill(ok('1')).join(',')}]`,
    );
    for (const id of ['null', '"1"', '""', '1.5', '-1', '0', '1e3', '12345678901234567890']) {
      const body = `{"jsonrpc":"2.0","id":${id},"method":"getHealth","params":null}`;
      expect([id, (await gateway.post('/', body)).text]).toEqual([id, ok(id)]);
    }
    const note = '{"jsonrpc":"2.0","method":"getHealth","params":null}';
    expect((await gateway.post('/', note)).status).toBe(204);
    expect((await gateway.post('/', `[${note},${sent[0]}]`)).text).toBe(`[${ok('1')}]`);
    for (const params of ['""', '"x"', '0', 'false', 'true']) {
      const body = `{"jsonrpc":"2.0","id":1,"method":"getHealth","params":${params}}`;
      expect([params, (await gateway.post('/', body)).body]).toMatchObject([params, { error: { code: -32600 } }]);
    }
  });

  it('says what is wrong with a request in JSON-RPC, with HTTP 200', async () => {
    const call = '{"jsonrpc":"2.0","id":1,"method":"getHealth"}';
    const cases: [string, number, unknown][] = [
      ['', -32700, null],
      ['{', -32700, null],
      ['{"jsonrpc":"2.0","id":1,"method":"getHealth"', -32700, null],
      ['[]', -32600, null],
      ['3', -32600, null],
      [`[${new Array(101).fill(call).join(',')}]`, -32600, null],
      ['{"id":4,"method":"getHealth"}', -32600, 4],
      ['{"jsonrpc":"1.0","id":4,"method":"getHealth"}', -32600, 4],
      ['{"jsonrpc":"2.0","id":"x","method":7}', -32600, 'x'],
      ['{"jsonrpc":"2.0","id":{},"method":"getHealth"}', -32600, null],
      ['{"jsonrpc":"2.0","id":4,"method":"getHealth","params":"x"}', -32600, 4],
    ];
    for (const [body, code, id] of cases) {
      const { status, body: answer } = await gateway.post('/', body);
      expect({ body, status, answer }).toEqual({
        ...{ body, status: 200 },
        answer: { jsonrpc: '2.0', id, error: { code, message: expect.any(String) } },
      });
    }
    const hundred = await gateway.post('/', `[${new Array(100).fill(call).join(',')}]`);
    expect(hundred.body).toHaveLength(100);
    const mixed = await gateway.post('/', `[1,${call}]`);
    expect(mixed.body).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'a call must be an object' } },
      { jsonrpc: '2.0', id: 1, result: 'ok' },
    ]);
  });

  it('passes results on digit by digit, and the node’s own errors as they are', async () => {
    const address = Keypair.generate().publicKey.toBase58();
    const lamports = 18_446_744_073_709_551_000n;
    const owner = '11111111111111111111111111111111';
    solana.setAccount(address, { lamports, data: new Uint8Array(), owner, executable: false, rentEpoch: 0n } as never);
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'getBalance',
      params: [address, { commitment: 'processed' }],
    });
    const { text } = await gateway.post('/', body);
    expect(text).toContain(`"value":${lamports}`);
    const direct = await fetch(solana.rpcUrl, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(JSON.parse(text)).toEqual(await direct.json());
    const wrong = await gateway.call('/', 'getBalance', ['not an address']);
    const said = await fetch(solana.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getBalance', params: ['not an address'] }),
    });
    expect(wrong.error.code).toBe(-32602);
    expect(wrong).toEqual(await said.json());
  });

  it('serves an ordinary client of Solana', async () => {
    const connection = new Connection(`${gateway.url}/?api-key=${gateway.key}`, 'confirmed');
    try {
      expect(await connection.getGenesisHash()).toBe(solana.genesisHash);
      const wallet = Keypair.generate();
      solana.airdrop(wallet.publicKey.toBase58(), 5_000_000n);
      solana.slot();
      expect(await connection.getBalance(wallet.publicKey)).toBe(5_000_000);
    } finally {
      closeClient(connection);
    }
  });

  it('takes the key from its own query names too, a header first', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"getHealth"}';
    for (const name of ['apiKey', 'api_key', 'apikey', 'api-key']) {
      expect((await gateway.post(`/?${name}=${gateway.key}`, body, {})).status).toBe(200);
      expect((await gateway.post(`/?${name}=${gateway.key}`, body, { 'x-api-key': 'wrong' })).status).toBe(401);
    }
    const none = await gateway.post('/', body, {});
    expect(none).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
  });

  it('names chains by every name, and says which it serves', async () => {
    for (const name of ['sol', 'SOLANA', '101'])
      expect((await gateway.call(`/${name}`, 'getHealth')).result).toBe('ok');
    const body = '{"jsonrpc":"2.0","id":1,"method":"getHealth"}';
    const unknown = await gateway.post('/moon', body);
    expect(unknown).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
    const unserved = await gateway.post('/eth', body);
    expect(unserved).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    expect(unserved.body.error.message).toContain('it serves sol');
  });

  it('answers other methods of HTTP, the open routes and sockets as every listener does', async () => {
    const root = await fetch(gateway.url);
    expect({ status: root.status, allow: root.headers.get('allow'), text: await root.text() }).toEqual({
      ...{ status: 405, allow: 'POST', text: '' },
    });
    expect(await (await fetch(`${gateway.url}/health`)).json()).toEqual({ status: 'ok', version: '1.2.3' });
    const document = parse(await (await fetch(`${gateway.url}/openapi.yaml`)).text()) as { paths: object };
    expect(Object.keys(document.paths)).toEqual(['/', '/{chain}', '/health', '/openapi.yaml']);
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const socket = await new Promise<{ status?: number; text: string }>((resolve, reject) => {
      const asked = request(gateway.url, { headers: { ...headers, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' } });
      asked.on('response', (response) => {
        let text = '';
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode, text }));
      });
      asked.on('error', reject).end();
    });
    expect(socket.status).toBe(400);
    expect(socket.text).toContain('the gateway has no WebSocket');
  });

  it('passes on no method that controls a node, and none that it does not know', async () => {
    const denied = ['devnet_slot', 'requestAirdrop', 'accountSubscribe', 'getPriorityFeeEstimate', 'nonsense', ''];
    const slot = (await gateway.call('/', 'getSlot')).result;
    for (const method of denied) expect((await gateway.call('/', method)).error.code).toBe(-32601);
    expect((await gateway.call('/', 'getSlot')).result).toBe(slot);
  });
});

describe('the gateway over several nodes of one chain', () => {
  let chain: ChainBuilder;
  let over: GatewayOverNodes;
  let nodes: GatewayOverNodes['nodes'];
  let gateway: GatewayHarness;

  beforeEach(async () => {
    chain = new ChainBuilder({ seed: 5 });
    chain.mine(80);
    over = await GatewayOverNodes.start(chain, SECRET);
    ({ nodes, gateway } = over);
  });
  afterEach(async () => {
    expect(JSON.stringify(gateway.logged)).not.toMatch(/secret|127\.0\.0\.1/);
    await over.close();
  });

  const asked = (node: 0 | 1, method: string) => over.asked(node, method);
  const call = (method: string, params: unknown[] = []) => over.call(method, params);
  const hashOf = (height: number) => over.hashOf(height);
  const head = (): string => `0x${chain.head.number.toString(16)}`;

  it('asks the next node when one fails, and says so when none answers, without their addresses', async () => {
    nodes[0].faults.cutRate = 1;
    expect((await call('eth_blockNumber')).result).toBe(head());
    nodes[1].faults.truncateRate = 1;
    const failed = await call('eth_blockNumber');
    expect(failed).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'no node of eth answered' } });
    nodes[0].faults.cutRate = 0;
    expect((await call('eth_blockNumber')).result).toBe(head());
    expect(gateway.logged.length).toBeGreaterThan(0);
  });

  it('leaves a node alone that says it is asked too much, and says so when all do', async () => {
    nodes[0].faults.rateLimitRate = 1;
    nodes[0].faults.retryAfterSeconds = 30;
    for (let n = 0; n < 5; n++) expect((await call('eth_blockNumber')).result).toBe(head());
    expect(nodes[0].stats.faults.rateLimit).toBeLessThan(3);
    nodes[1].faults.rpcRateLimitRate = 1;
    expect((await call('eth_gasPrice')).error).toEqual({
      code: -32005,
      message: expect.stringContaining('over its limit'),
    });
  });

  it('asks a node that lags for nothing that changes with the head', async () => {
    nodes[0].setHead(60);
    for (let n = 0; n < 5; n++) expect((await call('eth_blockNumber')).result).toBe(head());
    expect((await call('eth_getBlockByNumber', ['latest', false])).result.number).toBe(head());
    const before = asked(0, 'eth_getBlockByHash');
    expect((await call('eth_getBlockByHash', [hashOf(50), false])).result.number).toBe('0x32');
    expect(asked(0, 'eth_getBlockByHash')).toBe(before + 1);
    // What it does not have yet another has.
    expect((await call('eth_getBlockByHash', [hashOf(70), false])).result.number).toBe('0x46');
    expect(asked(0, 'eth_getBlockByHash')).toBe(before + 2);
    // It has caught up: it is the first choice again.
    nodes[0].setHead(null);
    const seen = asked(0, 'eth_getBlockByNumber');
    expect((await call('eth_getBlockByNumber', ['latest', false])).result.number).toBe(head());
    expect(asked(0, 'eth_getBlockByNumber')).toBe(seen + 1);
  });

  it('asks another node for what one lacks, and gives the first one’s word when all lack it', async () => {
    nodes[0].faults.stateDepth = 10;
    const old = ['0x00000000000000000000000000000000000000aa', '0x5'];
    expect((await call('eth_getCode', old)).result).toBe('0x');
    nodes[1].faults.stateDepth = 10;
    expect((await call('eth_getCode', old)).error).toMatchObject({ code: -32000 });
    nodes[0].faults.missingMethods = ['eth_gasPrice'];
    expect((await call('eth_gasPrice')).result).toBe('0x1');
  });

  it('asks once what many ask at the same time, and keeps what cannot change', async () => {
    nodes[0].faults.methods = ['eth_getBlockByNumber'];
    Object.assign(nodes[0].faults, { delayRate: 1, delayMs: 100 });
    const many = Array.from({ length: 20 }, () => call('eth_getBlockByNumber', ['latest', true]));
    const answers = await Promise.all(many);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(asked(0, 'eth_getBlockByNumber')).toBe(1);
    await call('eth_getBlockByNumber', ['latest', true]);
    expect(asked(0, 'eth_getBlockByNumber')).toBe(2);
    for (let n = 0; n < 5; n++) expect((await call('eth_getBlockByHash', [hashOf(7), true])).result.number).toBe('0x7');
    expect(asked(0, 'eth_getBlockByHash')).toBe(1);
    // What no node has yet is no answer to keep.
    const unseen = `0x${'ab'.repeat(32)}`;
    for (let n = 0; n < 3; n++) expect((await call('eth_getBlockByHash', [unseen, true])).result).toBeNull();
    expect(asked(0, 'eth_getBlockByHash')).toBe(4);
  });

  it('never asks a node of another chain', async () => {
    const other = await startFaultRpc({ chain: new ChainBuilder({ seed: 6, chainId: 56 }) });
    const mixed = await GatewayHarness.start({ eth: [other.url, nodes[0].url] });
    try {
      expect((await mixed.call('/1', 'eth_blockNumber')).result).toBe(head());
      expect(other.stats.methods.eth_blockNumber).toBeUndefined();
    } finally {
      await mixed.close();
      await other.close();
    }
  });

  it('denies what controls a node, signs or keeps a filter', async () => {
    const denied = [
      'anvil_setBalance',
      'evm_mine',
      'hardhat_reset',
      'debug_traceTransaction',
      'admin_nodeInfo',
      'eth_sign',
    ];
    denied.push(
      'eth_sendTransaction',
      'eth_signTransaction',
      'personal_unlockAccount',
      'eth_accounts',
      'txpool_content',
    );
    denied.push(
      'eth_subscribe',
      'eth_newFilter',
      'eth_getFilterChanges',
      'engine_newPayloadV4',
      'miner_stop',
      'getSlot',
    );
    for (const method of denied) {
      const { error } = await call(method);
      expect({ method, code: error.code }).toEqual({ method, code: -32601 });
      expect(asked(0, method) + asked(1, method)).toBe(0);
    }
  });
});

describe('sending through the gateway', () => {
  let anvil: AnvilProcess;
  let gateway: GatewayHarness;

  beforeAll(async () => {
    anvil = await startAnvil({ port: 0, args: ['--chain-id', '1', '--accounts', '1', '--prune-history', '64'] });
    gateway = await GatewayHarness.start({ eth: [`http://127.0.0.1:${anvil.port}`] });
  });
  afterAll(async () => {
    await gateway.close();
    await anvil?.stop();
  });

  it('passes on what a wallet signed, as an ordinary client of Ethereum does it', async () => {
    const transport = http(`${gateway.url}/eth?apikey=${gateway.key}`);
    const account = privateKeyToAccount(generatePrivateKey());
    const direct = createPublicClient({ chain: mainnet, transport: http(`http://127.0.0.1:${anvil.port}`) });
    await direct.request({ method: 'anvil_setBalance', params: [account.address, '0x8ac7230489e80000'] } as never);
    const reader = createPublicClient({ chain: mainnet, transport, pollingInterval: 20 });
    const wallet = createWalletClient({ account, chain: mainnet, transport });
    const to = '0x00000000000000000000000000000000000000aa';
    const signed = await wallet.signTransaction(
      await wallet.prepareTransactionRequest({ to, value: parseEther('1'), type: 'eip1559' }),
    );
    const hash = await reader.sendRawTransaction({ serializedTransaction: signed });
    expect(hash).toBe(keccak256(signed));
    const receipt = await reader.waitForTransactionReceipt({ hash });
    expect(receipt.status).toBe('success');
    expect(await reader.getBalance({ address: to })).toBe(parseEther('1'));
    // The node's own words on a second one.
    const { error } = await gateway.call('/eth', 'eth_sendRawTransaction', [signed]);
    expect(error.message).toMatch(/nonce too low|already/i);
  });

  it('carries a notification out that sends', async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const direct = createPublicClient({ chain: mainnet, transport: http(`http://127.0.0.1:${anvil.port}`) });
    await direct.request({ method: 'anvil_setBalance', params: [account.address, '0x8ac7230489e80000'] } as never);
    const wallet = createWalletClient({ account, chain: mainnet, transport: http(`http://127.0.0.1:${anvil.port}`) });
    const prepared = await wallet.prepareTransactionRequest({ to: account.address, value: 1n, type: 'eip1559' });
    const signed = await wallet.signTransaction(prepared);
    const note = JSON.stringify({ jsonrpc: '2.0', method: 'eth_sendRawTransaction', params: [signed] });
    expect((await gateway.post('/eth', note)).status).toBe(204);
    await until('the transaction is there', () =>
      direct.getTransaction({ hash: keccak256(signed) }).then(
        () => true,
        () => false,
      ),
    );
  });
});
