import { Contract, ContractFactory, parseEther as ether, JsonRpcProvider, Wallet } from 'ethers';
import { createPublicClient, createWalletClient, type Hex, type HttpTransport, http, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { mainnet } from 'viem/chains';
import { type AnvilProcess, startAnvil } from '#libs/devkit/devnet/evm/anvil-process.js';
import { genuine } from '#libs/devkit/devnet/evm/genuine-contracts.js';
import { until } from '#libs/devkit/testing/until.js';
import { failed, outcomes } from './client-reads.js';
import { GatewayHarness } from './gateway-harness.js';

/**
 * Public clients of EVM chains, unchanged, do their ordinary work over the gateway: they deploy, send, wait, read and watch.
 * What they read there equals what they read from the node itself.
 */
const weth = genuine('weth');
const TO = '0x00000000000000000000000000000000000000aa';

let anvil: AnvilProcess;
let gateway: GatewayHarness;
let nodeUrl: string;
let gatewayUrl: string;

beforeAll(async () => {
  anvil = await startAnvil({ port: 0, args: ['--chain-id', '1', '--accounts', '1', '--no-mining'] });
  nodeUrl = `http://127.0.0.1:${anvil.port}`;
  gateway = await GatewayHarness.start({ eth: [nodeUrl] });
  gatewayUrl = `${gateway.url}/eth?apikey=${gateway.key}`;
});
afterAll(async () => {
  expect(gateway.logged).toEqual([]);
  await gateway.close();
  await anvil?.stop();
});

const mine = (): Promise<unknown> => anvil.rpc.call('evm_mine');

/** A key with ten coins. */
async function fundedKey(): Promise<Hex> {
  const key = generatePrivateKey();
  await anvil.rpc.call('anvil_setBalance', [privateKeyToAccount(key).address, '0x8ac7230489e80000']);
  return key;
}

/** What a client says of a failure, without the address that was asked. */
function wordsOf(error: Error): object {
  const { name, code, shortMessage, details } = error as Error & Record<string, unknown>;
  return { name, code, shortMessage, details };
}

it.each(['one by one', 'in batches'])('viem does its work, its calls %s', async (how) => {
  const batch = how === 'in batches';
  const over = (transport: HttpTransport) =>
    createPublicClient({ chain: mainnet, transport, pollingInterval: 20, cacheTime: 0 });
  const reader = over(http(gatewayUrl, { batch }));
  const account = privateKeyToAccount(await fundedKey());
  const wallet = createWalletClient({ account, chain: mainnet, transport: http(gatewayUrl, { batch }) });
  const landed = async (hash: Hex) => {
    await mine();
    const receipt = await reader.waitForTransactionReceipt({ hash });
    expect(receipt).toMatchObject({ transactionHash: hash, status: 'success', from: account.address.toLowerCase() });
    return receipt;
  };
  const { contractAddress } = await landed(await wallet.deployContract(weth));
  const contract = { address: contractAddress!, abi: weth.abi } as const;
  const watched: unknown[] = [];
  const heights: bigint[] = [];
  // Without it events are seen from the first look on, and nothing tells when that was.
  const fromBlock = (await reader.getBlockNumber()) + 1n;
  const unwatch = [
    reader.watchContractEvent({ ...contract, fromBlock, onLogs: (logs) => watched.push(...logs) }),
    reader.watchBlockNumber({ onBlockNumber: (height) => heights.push(height), emitOnBegin: true }),
  ];
  await until('the watch has begun', () => heights.length > 0);
  const deposit = await landed(
    await wallet.writeContract({ ...contract, functionName: 'deposit', value: parseEther('2') }),
  );
  const transfer = await landed(await wallet.sendTransaction({ to: TO, value: 7n }));
  await until('the events were seen', () => watched.length > 0 && heights.includes(transfer.blockNumber));
  for (const stop of unwatch) stop();
  expect(watched).toMatchObject([{ eventName: 'Deposit', transactionHash: deposit.transactionHash }]);

  const { blockHash, blockNumber, transactionHash: hash } = deposit;
  const own = { address: account.address };
  const reads = (client: typeof reader) => ({
    chainId: () => client.getChainId(),
    height: () => client.getBlockNumber(),
    newest: () => client.getBlock({ includeTransactions: true }),
    byHash: () => client.getBlock({ blockHash }),
    byNumber: () => client.getBlock({ blockNumber }),
    finalized: () => client.getBlock({ blockTag: 'finalized' }),
    count: () => client.getBlockTransactionCount({ blockHash }),
    transaction: () => client.getTransaction({ hash }),
    byIndex: () => client.getTransaction({ blockHash, index: 0 }),
    receipt: () => client.getTransactionReceipt({ hash }),
    confirmations: () => client.getTransactionConfirmations({ hash }),
    logs: () => client.getLogs({ address: contract.address, fromBlock: 0n, toBlock: 'latest' }),
    events: () => client.getContractEvents({ ...contract, eventName: 'Deposit', blockHash }),
    balanceOf: () => client.readContract({ ...contract, functionName: 'balanceOf', args: [account.address] }),
    earlier: () =>
      client.readContract({
        ...{ ...contract, functionName: 'balanceOf', args: [account.address], blockNumber: blockNumber - 1n },
      }),
    call: () => client.call({ to: contract.address, data: '0x18160ddd' }),
    simulated: () => client.simulateContract({ ...contract, account, functionName: 'withdraw', args: [1n] }),
    refused: () => client.simulateContract({ ...contract, account, functionName: 'withdraw', args: [parseEther('3')] }),
    gas: () => client.estimateGas({ account, to: TO, value: 1n }),
    contractGas: () => client.estimateContractGas({ ...contract, account, functionName: 'deposit', value: 1n }),
    history: () => client.getFeeHistory({ blockCount: 3, rewardPercentiles: [10, 50] }),
    fees: () => client.estimateFeesPerGas(),
    tip: () => client.estimateMaxPriorityFeePerGas(),
    gasPrice: () => client.getGasPrice(),
    nonce: () => client.getTransactionCount(own),
    balance: () => client.getBalance(own),
    code: () => client.getCode({ address: contract.address }),
    storage: () => client.getStorageAt({ address: contract.address, slot: '0x0' }),
    proof: () => client.getProof({ ...own, storageKeys: [`0x${'00'.repeat(32)}`] }),
    accessList: () => client.createAccessList({ account, to: contract.address, data: '0x18160ddd' }),
    unknown: () => client.getTransaction({ hash: `0x${'ab'.repeat(32)}` }),
  });
  const seen = await outcomes(reads(reader), wordsOf);
  expect(seen).toEqual(await outcomes(reads(over(http(nodeUrl))), wordsOf));
  expect(seen).toMatchObject({ balanceOf: parseEther('2'), earlier: 0n, nonce: 3, logs: [{ transactionHash: hash }] });
  expect(failed(seen)).toEqual(['refused', 'unknown']);
});

it('ethers does its work', async () => {
  // Blocks come faster here than ethers believes what it saw.
  const over = (url: string) => new JsonRpcProvider(url, undefined, { cacheTimeout: -1, pollingInterval: 20 });
  const [reader, direct] = [over(gatewayUrl), over(nodeUrl)];
  try {
    const wallet = new Wallet(await fundedKey(), reader);
    const deploying = await new ContractFactory(weth.abi as never, weth.bytecode, wallet).deploy();
    await mine();
    const deployed = await deploying.waitForDeployment();
    const address = await deployed.getAddress();
    const contract = new Contract(address, weth.abi as never, wallet);
    const landed = async (sending: Promise<{ hash: string; wait(): Promise<unknown> }>) => {
      const sent = await sending;
      await mine();
      expect(await sent.wait()).toMatchObject({ hash: sent.hash, status: 1, from: wallet.address });
      return sent.hash;
    };
    const watched: unknown[][] = [];
    const heights: number[] = [];
    await contract.on('Deposit', (...given) => watched.push(given.slice(0, 2)));
    await reader.on('block', (height: number) => heights.push(height));
    const hash = await landed(contract.deposit!({ value: ether('2') }));
    await landed(wallet.sendTransaction({ to: TO, value: 7n }));
    await until('the events were seen', () => watched.length > 0 && heights.length > 1);
    await contract.removeAllListeners();
    await reader.removeAllListeners();
    expect(watched).toEqual([[wallet.address, ether('2')]]);

    const { blockNumber, blockHash } = (await direct.getTransaction(hash))!;
    const filter = { address, fromBlock: 0, toBlock: 'latest' };
    const at = (provider: JsonRpcProvider) => new Contract(address, weth.abi as never, provider);
    const shown = async (read: Promise<{ toJSON(): unknown } | null>) => (await read)?.toJSON() ?? null;
    const reads = (provider: JsonRpcProvider) => ({
      network: async () => (await provider.getNetwork()).toJSON(),
      height: () => provider.getBlockNumber(),
      newest: () => shown(provider.getBlock('latest', true)),
      byHash: () => shown(provider.getBlock(blockHash!)),
      finalized: () => shown(provider.getBlock('finalized')),
      transaction: () => shown(provider.getTransaction(hash)),
      receipt: () => shown(provider.getTransactionReceipt(hash)),
      wait: () => shown(provider.waitForTransaction(hash)),
      logs: async () => (await provider.getLogs(filter)).map((log) => log.toJSON()),
      events: async () => (await at(provider).queryFilter('Deposit', blockNumber!)).map((event) => event.toJSON()),
      balanceOf: () => at(provider).balanceOf!(wallet.address),
      earlier: () => at(provider).balanceOf!(wallet.address, { blockTag: blockNumber! - 1 }),
      simulated: () => at(provider).withdraw!.staticCall(1n, { from: wallet.address }),
      refused: () => at(provider).withdraw!.staticCall(ether('3'), { from: wallet.address }),
      gas: () => provider.estimateGas({ from: wallet.address, to: TO, value: 1n }),
      fees: async () => (await provider.getFeeData()).toJSON(),
      history: () => provider.send('eth_feeHistory', ['0x3', 'latest', [10, 50]]),
      nonce: () => provider.getTransactionCount(wallet.address),
      balance: () => provider.getBalance(wallet.address),
      code: () => provider.getCode(address),
      storage: () => provider.getStorage(address, 0),
      unknown: () => provider.getTransaction(`0x${'ab'.repeat(32)}`),
    });
    const seen = await outcomes(reads(reader), wordsOf);
    expect(seen).toEqual(await outcomes(reads(direct), wordsOf));
    expect(seen).toMatchObject({ balanceOf: ether('2'), earlier: 0n, nonce: 3, unknown: null, logs: [{}] });
    expect(failed(seen)).toEqual(['refused']);
  } finally {
    reader.destroy();
    direct.destroy();
  }
});

/**
 * Requests as the command `cast` of foundry 1.7.1 writes them: chain-id, block-number, chain, client, gas-price, base-fee, balance,
 * nonce, mktx, send, tx, receipt, block, call, estimate, access-list, logs, code, storage, proof, find-block, rpc. The member
 * `params` is left out where there are none, and the numbers start again with each command.
 */
it('what cast writes gets the bytes of the node', async () => {
  const account = privateKeyToAccount(await fundedKey());
  const me = account.address.toLowerCase();
  const ask = async (url: string, body: string) => {
    const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    return { status: response.status, text: await response.text() };
  };
  const same = async (method: string, params?: string, id = 0) => {
    const given = params === undefined ? '' : `,"params":${params}`;
    const body = `{"method":"${method}"${given},"id":${id},"jsonrpc":"2.0"}`;
    const [seen, wanted] = [await ask(gatewayUrl, body), await ask(nodeUrl, body)];
    expect({ body, ...seen }).toEqual({ body, ...wanted });
    return JSON.parse(seen.text).result;
  };
  const chainId = Number(await same('eth_chainId'));
  const nonce = Number(await same('eth_getTransactionCount', `["${me}","latest"]`, 1));
  const { baseFeePerGas } = await same('eth_feeHistory', '["0xa","latest",[20.0]]', 2);
  const fees = { maxFeePerGas: BigInt(baseFeePerGas.at(-1)) * 2n + 1n, maxPriorityFeePerGas: 1n };
  const wanted =
    `{"from":"${me}","to":"${TO}","maxFeePerGas":"0x${fees.maxFeePerGas.toString(16)}","maxPriorityFeePerGas":"0x1",` +
    `"value":"0xde0b6b3a7640000","input":"0x","data":"0x","nonce":"0x${nonce}","chainId":"0x${chainId}"}`;
  const gas = BigInt(await same('eth_estimateGas', `[${wanted},"pending"]`, 3));
  const signed = await account.signTransaction({ ...fees, chainId, nonce, gas, to: TO, value: parseEther('1') });
  const send = `{"method":"eth_sendRawTransaction","params":["${signed}"],"id":4,"jsonrpc":"2.0"}`;
  const hash = JSON.parse((await ask(gatewayUrl, send)).text).result;
  expect(await same('eth_getTransactionReceipt', `["${hash}"]`, 5)).toBeNull();
  await mine();
  const { status, blockHash } = await same('eth_getTransactionReceipt', `["${hash}"]`, 6);
  expect(status).toBe('0x1');
  // Sent twice: the node's own words.
  expect((await ask(gatewayUrl, send)).text).toBe((await ask(nodeUrl, send)).text);

  for (const method of ['eth_chainId', 'eth_blockNumber', 'web3_clientVersion', 'eth_gasPrice']) await same(method);
  expect(await same('eth_getTransactionByHash', `["${hash}"]`)).toMatchObject({ hash, blockHash });
  const empty = `{"from":"${me}","to":"${TO}","input":"0x","data":"0x","chainId":"0x1"}`;
  const reads: [string, string][] = [
    ['eth_getBlockByNumber', '["0x0",false]'],
    ['eth_getBlockByNumber', '["0x1",false]'],
    ['eth_getBlockByNumber', '["latest",false]'],
    ['eth_getBlockByNumber', '["latest",true]'],
    ['eth_getBlockByHash', `["${blockHash}",true]`],
    ['eth_getBalance', `["${me}","latest"]`],
    ['eth_getTransactionCount', `["0x${'0'.repeat(40)}","latest"]`],
    ['eth_call', `[${empty},"latest"]`],
    ['eth_estimateGas', `[${empty},"latest"]`],
    ['eth_createAccessList', `[${empty},"latest"]`],
    ['eth_getLogs', `[{"fromBlock":"0x0","toBlock":"latest","topics":["0x${'dd'.repeat(32)}"]}]`],
    ['eth_getLogs', `[{"fromBlock":"0x0","toBlock":"latest"}]`],
    ['eth_getCode', `["${me}","latest"]`],
    ['eth_getStorageAt', `["${me}","0x0","latest"]`],
    ['eth_getProof', `["${me}",["0x${'0'.repeat(64)}"],"latest"]`],
    ['eth_feeHistory', '["0x4","latest",[10.0,50.0]]'],
    ['eth_estimateGas', `[{"from":"${me}","to":"${TO}","value":"0x${'f'.repeat(30)}"},"latest"]`],
  ];
  for (const [index, [method, params]] of reads.entries()) await same(method, params, index);
});
